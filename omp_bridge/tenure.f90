! SPDX-License-Identifier: MIT
! Sessions from Fortran: the interface of tenure.h, name for name. Compile this file with your program and link with
! -ltenure. Functions return 0 or a negative errno value; the rules are tenure.h's. Procedures that a session runs have
! the interfaces tenure_member and tenure_piece, are bind(c), and get `arg` (c_loc of yours) back as it was given.
!
!   type(tenure_session) :: s
!   if (tenure_session_open(s, tenure_options(width=4)) == 0) then
!     call dgemm(...)
!     err = tenure_session_run(s, c_funloc(member), c_loc(work))
!     err = tenure_session_close(s)
!   end if
module tenure
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer(c_int), parameter, public :: tenure_lease_until_close = 1
  integer(c_int), parameter, public :: tenure_affinity_default = 0, tenure_affinity_caller = 1, &
                                       tenure_affinity_close = 2, tenure_affinity_spread = 3

  type, bind(c), public :: tenure_session
    integer(c_int64_t) :: id = 0
  end type

  type, bind(c), public :: tenure_session_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: width = 0
    integer(c_int) :: affinity = 0
    integer(c_int64_t) :: lease_ns = 0
    integer(c_int) :: flags = 0
    type(c_ptr) :: host_pool = c_null_ptr
  end type

  type, bind(c), public :: tenure_session_figures
    integer(c_size_t) :: size = 0
    integer(c_int) :: width = 0
    integer(c_int) :: opens = 0
    integer(c_int64_t) :: regions = 0, spins = 0, sleeps = 0, wakes = 0
    integer(c_int64_t) :: build_ns = 0, acquire_ns = 0, call_ns = 0, release_ns = 0
    integer(c_int64_t) :: probes = 0, latched = 0, pool_calls = 0
  end type

  abstract interface
    subroutine tenure_member(arg, thread, width) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: arg
      integer(c_int), value :: thread, width ! threads count from 0
    end subroutine
    subroutine tenure_piece(arg, lo, hi) bind(c)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: arg
      integer(c_int64_t), value :: lo, hi ! lo, …, hi - 1
    end subroutine
  end interface
  public :: tenure_member, tenure_piece

  interface
    integer(c_int) function tenure_is_active() bind(c)
      import :: c_int
    end function
    integer(c_int) function tenure_spawned_workers() bind(c)
      import :: c_int
    end function
    integer(c_int) function tenure_alive_workers() bind(c)
      import :: c_int
    end function
    integer(c_int) function tenure_session_open(session, options) bind(c)
      import :: c_int, tenure_session, tenure_session_options
      type(tenure_session), intent(out) :: session
      type(tenure_session_options), intent(in) :: options
    end function
    integer(c_int) function tenure_session_run(session, fn, arg) bind(c)
      import :: c_int, c_funptr, c_ptr, tenure_session
      type(tenure_session), value :: session
      type(c_funptr), value :: fn ! c_funloc of a tenure_member
      type(c_ptr), value :: arg
    end function
    integer(c_int) function tenure_session_for(session, begin, end, grain, fn, arg) bind(c)
      import :: c_int, c_int64_t, c_funptr, c_ptr, tenure_session
      type(tenure_session), value :: session
      integer(c_int64_t), value :: begin, end, grain
      type(c_funptr), value :: fn ! c_funloc of a tenure_piece
      type(c_ptr), value :: arg
    end function
    integer(c_int) function tenure_session_pause(session) bind(c)
      import :: c_int, tenure_session
      type(tenure_session), value :: session
    end function
    integer(c_int) function tenure_session_info(session, figures) bind(c)
      import :: c_int, tenure_session, tenure_session_figures
      type(tenure_session), value :: session
      type(tenure_session_figures), intent(inout) :: figures
    end function
    integer(c_int) function tenure_session_close(session) bind(c)
      import :: c_int, tenure_session
      type(tenure_session), value :: session
    end function
  end interface
  public :: tenure_is_active, tenure_spawned_workers, tenure_alive_workers
  public :: tenure_session_open, tenure_session_run, tenure_session_for
  public :: tenure_session_pause, tenure_session_info, tenure_session_close
  public :: tenure_options, tenure_figures

contains

  ! Options with their size set; what is not given has its default.
  function tenure_options(width, affinity, lease_ns, flags) result(o)
    integer, intent(in), optional :: width, affinity, flags
    integer(c_int64_t), intent(in), optional :: lease_ns
    type(tenure_session_options) :: o
    o%size = c_sizeof(o)
    if (present(width)) o%width = int(width, c_int)
    if (present(affinity)) o%affinity = int(affinity, c_int)
    if (present(lease_ns)) o%lease_ns = lease_ns
    if (present(flags)) o%flags = int(flags, c_int)
  end function

  ! The figures of a session; a width of 0 says that the handle is not good.
  function tenure_figures(session) result(f)
    type(tenure_session), intent(in) :: session
    type(tenure_session_figures) :: f
    f%size = c_sizeof(f)
    if (tenure_session_info(session, f) /= 0) f%width = 0
  end function
end module
