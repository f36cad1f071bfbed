! SPDX-License-Identifier: MIT
! omp_lib from Fortran: queries and setters with default and with eight-byte integers, locks, nested regions, times.
program fortran_api
  use omp_lib
  implicit none
  integer :: faults, width, n, chunk, ids(64)
  integer(8) :: eight
  logical(8) :: yes
  integer(omp_sched_kind) :: kind
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  character(80) :: text

  faults = 0
  eight = 3
  call omp_set_num_threads(int(eight))
  if (omp_get_max_threads() /= 3) faults = faults + 1
  call set8(eight)
  yes = .true.
  call omp_set_dynamic(yes)
  if (.not. omp_get_dynamic()) faults = faults + 1
  call omp_set_dynamic(.false.)
  call omp_set_schedule(omp_sched_guided, 5)
  call omp_get_schedule(kind, chunk)
  if (kind /= omp_sched_guided .or. chunk /= 5) faults = faults + 1
  call omp_set_max_active_levels(2)
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  n = 0
!$omp parallel num_threads(4) private(width)
  width = omp_get_num_threads()
  if (width /= 4 .or. .not. omp_in_parallel()) then
!$omp atomic
    faults = faults + 1
  end if
  call omp_set_lock(lock)
  n = n + 1
  call omp_unset_lock(lock)
  call omp_set_nest_lock(nest)
  if (omp_test_nest_lock(nest) /= 2) n = n + 100
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
!$omp parallel num_threads(2)
  if (omp_get_level() /= 2 .or. omp_get_team_size(1) /= 4 .or. &
      omp_get_ancestor_thread_num(2) /= omp_get_thread_num()) then
!$omp atomic
    faults = faults + 1
  end if
!$omp end parallel
!$omp end parallel
  if (n /= 4 .or. .not. omp_test_lock(lock)) faults = faults + 1
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  if (omp_get_wtick() <= 0 .or. omp_get_wtime() <= 0) faults = faults + 1
  call omp_set_affinity_format('thread %n')
  n = omp_capture_affinity(text, 'width %N of %n')
  print '(a,i0)', trim(text), n
  n = omp_get_affinity_format(text)
  print '(a,i0)', trim(text), n
  if (omp_get_num_places() > 0) call omp_get_place_proc_ids(0, ids)
  print *, omp_get_thread_limit(), omp_get_max_task_priority(), omp_get_cancellation(), omp_get_default_device()
  print '(a,i0)', 'faults ', faults
  if (faults /= 0) stop 1
contains
  subroutine set8(n8) ! reaches omp_set_num_threads_8_
    integer(8), intent(in) :: n8
    call omp_set_num_threads(n8 + 2)
    if (omp_get_max_threads() /= 5) faults = faults + 1
  end subroutine
end program
