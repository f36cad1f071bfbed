! SPDX-License-Identifier: MIT
! The module tenure of omp_bridge/tenure.f90: structs of the same shape as tenure.h's, and every function once.
module session_work
  use, intrinsic :: iso_c_binding
  use tenure
  implicit none
  type :: work
    integer :: ran(0:7) = 0
    real(8) :: x(100) = 1
  end type
contains
  subroutine member(arg, thread, width) bind(c)
    type(c_ptr), value :: arg
    integer(c_int), value :: thread, width
    type(work), pointer :: w
    call c_f_pointer(arg, w)
    w%ran(thread) = w%ran(thread) + width
  end subroutine
  subroutine piece(arg, lo, hi) bind(c)
    type(c_ptr), value :: arg
    integer(c_int64_t), value :: lo, hi
    type(work), pointer :: w
    call c_f_pointer(arg, w)
    w%x(lo:hi - 1) = w%x(lo:hi - 1) * 2
  end subroutine
end module

program session_fortran
  use session_work
  implicit none
  type(tenure_session) :: s, again
  type(tenure_session_figures) :: f
  type(work), target :: w
  procedure(tenure_member), pointer :: check_member => member
  procedure(tenure_piece), pointer :: check_piece => piece
  integer :: i

  call expect(tenure_session_open(s, tenure_session_options()) == -22, 'a struct without its size')
  call expect(tenure_session_open(s, tenure_options(width=3, lease_ns=1000000_c_int64_t)) == 0, 'open')
  call expect(tenure_session_open(again, tenure_options(width=3)) == 0 .and. again%id == s%id, 'open again')
  call expect(tenure_session_run(s, c_funloc(check_member), c_loc(w)) == 0, 'run')
  call expect(all(w%ran(0:2) == 3) .and. all(w%ran(3:) == 0), 'each member once')
  call expect(tenure_session_for(s, 1_c_int64_t, 101_c_int64_t, 7_c_int64_t, c_funloc(check_piece), c_loc(w)) == 0, 'for')
  call expect(all(abs(w%x - 2) < 1d-12), 'each element once')
  f = tenure_figures(s)
  call expect(f%width == 3 .and. f%opens == 2 .and. f%regions == 2 .and. f%pool_calls == 0, 'figures')
  call expect(tenure_spawned_workers() == 2 .and. tenure_alive_workers() == 2 .and. tenure_is_active() == 1, 'presence')
  call expect(tenure_session_pause(s) == 0, 'pause')
  do i = 1, 2
    call expect(tenure_session_close(s) == 0, 'close')
  end do
  call expect(tenure_session_close(s) == -22, 'close once more')
contains
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) then
      print '(2a)', 'FAULT ', what
      stop 1
    end if
  end subroutine
end program
