! SPDX-License-Identifier: MIT
! Tasks from Fortran: recursion, depend, taskloop, taskgroup with reduction; threadprivate common blocks, copyin,
! allocatable firstprivate.
program fortran_tasks
  use omp_lib
  implicit none
  integer :: faults, i, chain, s, total
  integer :: shared_by_thread
  integer, allocatable :: v(:)
  common /per_thread/ shared_by_thread
!$omp threadprivate(/per_thread/)

  faults = 0; chain = 0; s = 0; total = 0
  allocate (v(10))
  v = 4
  shared_by_thread = 9
!$omp parallel num_threads(4) copyin(/per_thread/) firstprivate(v)
  if (shared_by_thread /= 9 .or. sum(v) /= 40) then
!$omp atomic
    faults = faults + 1
  end if
  v(1) = omp_get_thread_num()
  shared_by_thread = omp_get_thread_num()
!$omp single
  do i = 1, 40
!$omp task depend(inout: chain) firstprivate(i) shared(chain)
    if (chain /= i - 1) faults = faults + 1
    chain = i
!$omp end task
  end do
!$omp taskloop grainsize(7) reduction(+:s)
  do i = 1, 100
    s = s + i
  end do
!$omp end taskloop
!$omp taskgroup task_reduction(+:total)
  do i = 1, 30
!$omp task in_reduction(+:total)
    total = total + 1
!$omp end task
  end do
!$omp end taskgroup
  if (fib(15) /= 610) faults = faults + 1
!$omp end single
  if (shared_by_thread /= omp_get_thread_num()) then
!$omp atomic
    faults = faults + 1
  end if
!$omp end parallel
  if (chain /= 40 .or. s /= 5050 .or. total /= 30 .or. sum(v) /= 40) faults = faults + 1
  print '(a,i0)', 'faults ', faults
  if (faults /= 0) stop 1
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      r = n
      return
    end if
!$omp task shared(a) if (n > 6)
    a = fib(n - 1)
!$omp end task
!$omp task shared(b)
    b = fib(n - 2)
!$omp end task
!$omp taskwait
    r = a + b
  end function
end program
