! Messages and collectives from Fortran, with in-place and ignored statuses; what comes is checked.
program calls
  use mpi
  implicit none
  integer :: me, n, e, next, last, half, index, i, q(2), s(MPI_STATUS_SIZE), all(MPI_STATUS_SIZE, 2)
  integer :: a(100), b(100)
  logical :: flag
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)
  call MPI_Comm_size(MPI_COMM_WORLD, n, e)
  next = mod(me + 1, n)
  last = mod(me + n - 1, n)
  a = me
  call MPI_Irecv(b, 100, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, q(1), e)
  call MPI_Isend(a, 50, MPI_INTEGER, next, 1, MPI_COMM_WORLD, q(2), e)
  call MPI_Waitall(2, q, all, e)
  if (all(MPI_SOURCE, 1) /= last .or. b(50) /= last) call MPI_Abort(MPI_COMM_WORLD, 1, e)
  call MPI_Sendrecv(a, 10, MPI_INTEGER, next, 2, b, 100, MPI_INTEGER, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  call MPI_Irecv(b, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, q(1), e)
  call MPI_Isend(a, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, q(2), e)
  do i = 1, 2
    call MPI_Waitany(2, q, index, s, e)
    if (index < 1 .or. index > 2) call MPI_Abort(MPI_COMM_WORLD, 2, e)
  end do
  a(1) = 1
  call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  if (a(1) /= n) call MPI_Abort(MPI_COMM_WORLD, 3, e)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, e)
  call MPI_Bcast(a, 100, MPI_INTEGER, 0, half, e)
  call MPI_Ibarrier(half, q(1), e)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(q(1), flag, MPI_STATUS_IGNORE, e)
  end do
  call MPI_Comm_free(half, e)
  call MPI_Finalize(e)
end program
