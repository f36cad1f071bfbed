! SPDX-License-Identifier: MIT
! parallel do with its schedules, ordered, collapse, reductions, lastprivate; workshare, sections, single copyprivate,
! critical, atomic.
program fortran_loops
  use omp_lib
  implicit none
  integer :: i, j, s, last, faults, next, ran
  integer :: a(200), hist(0:4)
  real(8) :: x(100)

  faults = 0
  s = 0; hist = 0; last = 0
!$omp parallel do num_threads(4) schedule(dynamic, 3) reduction(+:s, hist) lastprivate(last)
  do i = 1, 200
    a(i) = i
    s = s + i
    hist(mod(i, 5)) = hist(mod(i, 5)) + 1
    last = i
  end do
  if (s /= 20100 .or. any(hist /= 40) .or. last /= 200) faults = faults + 1
  next = 200
!$omp parallel do ordered schedule(guided) num_threads(3)
  do i = 200, 1, -1
!$omp ordered
    if (next /= i) faults = faults + 1
    next = i - 1
!$omp end ordered
  end do
  s = 0
!$omp parallel num_threads(4) private(ran)
!$omp do collapse(2) schedule(static, 7) reduction(+:s)
  do i = 1, 10
    do j = 10, 1, -3
      s = s + 1
    end do
  end do
!$omp end do
!$omp workshare
  x = 2.0d0
  x(1:50) = x(1:50) + x(51:100)
!$omp end workshare
!$omp single
  ran = 77
!$omp end single copyprivate(ran)
  if (ran /= 77) then
!$omp atomic
    faults = faults + 1
  end if
!$omp sections
!$omp section
  a(1) = -1
!$omp section
  a(2) = -2
!$omp end sections
!$omp critical (named)
  next = next + 1
!$omp end critical (named)
!$omp end parallel
  if (s /= 40 .or. sum(x) /= 300.0d0 .or. a(1) /= -1 .or. a(2) /= -2 .or. next /= 4) faults = faults + 1
  print '(a,i0)', 'faults ', faults
  if (faults /= 0) stop 1
end program
