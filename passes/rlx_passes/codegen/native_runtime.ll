; Memory and threads of compiled programs; of the system it takes what POSIX names in libc.
;
; A pool of threads is made by the first call that has work for more than one. A job is a range of rounds, given out in
; chunks by a counter, so that who is early takes more. The caller puts up one job at a time, works on it, closes it
; when no chunk is left, and waits for those that are still inside. Threads come in through @gate and never wait for one
; another: one that wakes too late finds the gate closed. Who finds the pool taken, another thread of the user or a
; kernel that asks for threads itself, does all its rounds alone.
;
; A thread without a job looks at the gate for some tens of microseconds and then sleeps. A process that was forked has
; none of the threads of its parent; the number of the process that made the pool tells.
;
; `native_runtime.py` adds what differs between systems: @pause, @spread, which says where threads that wake may run, and
; @processors, what sysconf calls the processors.

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare i32 @getpid()
declare i32 @sched_yield()
declare i64 @sysconf(i32)

; What threads write at once lies 128 bytes apart. Mutex and condition have room for those of any system.
@gate = internal global [16 x i64] zeroinitializer, align 128   ; job number << 32 | open << 31 | threads inside
@next = internal global [16 x i64] zeroinitializer, align 128   ; the first round that nobody has taken
@owner = internal global i32 0, align 128                       ; the process of the pool; 0 none, -1 being made
@busy = internal global i32 0                                   ; 1: there is a job
@wanted = internal global i64 0                                 ; threads to use, the caller among them; 0 not known
@made = internal global i64 0                                   ; threads of the pool
@pool = internal global [1024 x ptr] zeroinitializer            ; its threads
@sleepers = internal global i64 0
@helpers = internal global i64 0                                ; of the job: how many threads of the pool may take part
@kernel = internal global ptr null
@env = internal global ptr null
@count = internal global i64 0
@chunk = internal global i64 0
@mutex = internal global [32 x i64] zeroinitializer, align 128
@cond = internal global [32 x i64] zeroinitializer, align 128

; `bytes` of memory, also of none, aligned to 64; null where there is none.
define ptr @rlx_alloc(i64 %bytes) {
  %slot = alloca ptr
  %some = call i64 @llvm.umax.i64(i64 %bytes, i64 1)
  %fault = call i32 @posix_memalign(ptr %slot, i64 64, i64 %some)
  %given = load ptr, ptr %slot
  %fine = icmp eq i32 %fault, 0
  %result = select i1 %fine, ptr %given, ptr null
  ret ptr %result
}

define void @rlx_free(ptr %memory) {
  call void @free(ptr %memory)
  ret void
}

; How many threads work on what comes from here on, the caller among them; 0: one for each processor.
define void @rlx_threads(i64 %count) {
  store atomic i64 %count, ptr @wanted monotonic, align 8
  ret void
}

; kernel(env, from, to) for parts that make up [0, count); no part is smaller than `grain`, but for the last.
define void @rlx_parallel(ptr %kernel, ptr %env, i64 %count, i64 %grain) {
entry:
  %least = call i64 @llvm.smax.i64(i64 %grain, i64 1)
  %small = icmp sle i64 %count, %least
  br i1 %small, label %alone, label %ask
ask:
  %threads = call i64 @threads()
  %single = icmp sle i64 %threads, 1
  br i1 %single, label %alone, label %take
take:
  %taken = call i1 @take()
  br i1 %taken, label %share, label %alone
alone:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %call, label %done
call:
  call void %kernel(ptr %env, i64 0, i64 %count)
  br label %done
share:
  ; Four chunks for each thread, so that the last one to end is not late by much.
  %parts = shl i64 %threads, 2
  %even = udiv i64 %count, %parts
  %chunk = call i64 @llvm.smax.i64(i64 %even, i64 %least)
  %before = sub i64 %count, 1
  %more = udiv i64 %before, %chunk
  %others = sub i64 %threads, 1
  %helpers = call i64 @llvm.smin.i64(i64 %others, i64 %more)
  call void @hire(i64 %helpers)
  store ptr %kernel, ptr @kernel
  store ptr %env, ptr @env
  store i64 %count, ptr @count
  store i64 %chunk, ptr @chunk
  store atomic i64 0, ptr @next monotonic, align 8
  store atomic i64 %helpers, ptr @helpers monotonic, align 8
  call void @open()
  call void @work()
  call void @close()
  store atomic i32 0, ptr @busy release, align 4
  br label %done
done:
  ret void
}

define internal i64 @threads() {
entry:
  %wanted = load atomic i64, ptr @wanted monotonic, align 8
  %known = icmp sgt i64 %wanted, 0
  br i1 %known, label %done, label %ask
ask:
  %name = load i32, ptr @processors
  %processors = call i64 @sysconf(i32 %name)
  %some = call i64 @llvm.smax.i64(i64 %processors, i64 1)
  store atomic i64 %some, ptr @wanted monotonic, align 8
  br label %done
done:
  %threads = phi i64 [ %wanted, %entry ], [ %some, %ask ]
  %result = call i64 @llvm.smin.i64(i64 %threads, i64 1024)
  ret i64 %result
}

; Whether the pool is the caller's now.
define internal i1 @take() {
entry:
  %process = call i32 @getpid()
  %owner = load atomic i32, ptr @owner acquire, align 4
  %mine = icmp eq i32 %owner, %process
  br i1 %mine, label %try, label %strange
strange:
  %making = icmp eq i32 %owner, -1
  br i1 %making, label %no, label %claim
claim:
  %claimed = cmpxchg ptr @owner, i32 %owner, i32 -1 acq_rel monotonic
  %first = extractvalue { i32, i1 } %claimed, 1
  br i1 %first, label %make, label %no
make:
  %0 = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %1 = call i32 @pthread_cond_init(ptr @cond, ptr null)
  store i64 0, ptr @made
  store atomic i64 0, ptr @gate monotonic, align 8
  store atomic i64 0, ptr @sleepers monotonic, align 8
  store atomic i32 0, ptr @busy monotonic, align 4
  store atomic i32 %process, ptr @owner release, align 4
  br label %try
try:
  %pair = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %pair, 1
  ret i1 %free
no:
  ret i1 false
}

; Make threads until there are `count`, or the system gives no more.
define internal void @hire(i64 %count) {
entry:
  %slot = alloca ptr
  br label %look
look:
  %made = load i64, ptr @made
  %enough = icmp sge i64 %made, %count
  br i1 %enough, label %done, label %make
make:
  %index = inttoptr i64 %made to ptr
  %fault = call i32 @pthread_create(ptr %slot, ptr null, ptr @worker, ptr %index)
  %fine = icmp eq i32 %fault, 0
  br i1 %fine, label %next, label %done
next:
  %thread = load ptr, ptr %slot
  %0 = call i32 @pthread_detach(ptr %thread)
  %place = getelementptr ptr, ptr @pool, i64 %made
  store ptr %thread, ptr %place
  %one.more = add i64 %made, 1
  store i64 %one.more, ptr @made
  br label %look
done:
  ret void
}

; Let threads in, and wake those that sleep.
define internal void @open() {
entry:
  %old = load atomic i64, ptr @gate monotonic, align 8
  %number = lshr i64 %old, 32
  %later = add i64 %number, 1
  %shifted = shl i64 %later, 32
  %gate = or i64 %shifted, 2147483648
  store atomic i64 %gate, ptr @gate seq_cst, align 8
  %sleepers = load atomic i64, ptr @sleepers seq_cst, align 8
  %all.awake = icmp eq i64 %sleepers, 0
  br i1 %all.awake, label %done, label %wake
wake:
  call void @spread()
  %0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %1 = call i32 @pthread_cond_broadcast(ptr @cond)
  %2 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %done
done:
  ret void
}

; Chunk after chunk until none is left.
define internal void @work() {
entry:
  %kernel = load ptr, ptr @kernel
  %env = load ptr, ptr @env
  %count = load i64, ptr @count
  %chunk = load i64, ptr @chunk
  br label %next
next:
  %from = atomicrmw add ptr @next, i64 %chunk monotonic
  %left = icmp slt i64 %from, %count
  br i1 %left, label %do, label %done
do:
  %end = add i64 %from, %chunk
  %to = call i64 @llvm.smin.i64(i64 %end, i64 %count)
  call void %kernel(ptr %env, i64 %from, i64 %to)
  br label %next
done:
  ret void
}

; Let nobody in any more, and wait until all are out.
define internal void @close() {
entry:
  %old = atomicrmw and ptr @gate, i64 -2147483649 acq_rel
  br label %look
look:
  %looks = phi i32 [ 0, %entry ], [ %more, %wait ], [ %more, %yield ]
  %gate = load atomic i64, ptr @gate acquire, align 8
  %inside = and i64 %gate, 2147483647
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %done, label %again
again:
  %more = add i32 %looks, 1
  %long = icmp ugt i32 %more, 1000
  br i1 %long, label %yield, label %wait
wait:
  call void @pause()
  br label %look
yield:
  ; Who is inside may have lost its processor.
  %0 = call i32 @sched_yield()
  br label %look
done:
  ret void
}

define internal ptr @worker(ptr %number) {
entry:
  %index = ptrtoint ptr %number to i64
  br label %loop
loop:
  %seen = phi i64 [ 0, %entry ], [ %job, %loop ]
  %job = call i64 @enter(i64 %index, i64 %seen)
  call void @work()
  %0 = atomicrmw sub ptr @gate, i64 1 release
  br label %loop
}

; Whether `gate` is open for thread `index`, with another job than `seen`.
define internal i1 @invites(i64 %gate, i64 %index, i64 %seen) {
  %helpers = load atomic i64, ptr @helpers monotonic, align 8
  %bit = and i64 %gate, 2147483648
  %open = icmp ne i64 %bit, 0
  %job = lshr i64 %gate, 32
  %new = icmp ne i64 %job, %seen
  %meant = icmp slt i64 %index, %helpers
  %open.new = and i1 %open, %new
  %result = and i1 %open.new, %meant
  ret i1 %result
}

; Wait for a job other than `seen` and go in; its number.
define internal i64 @enter(i64 %index, i64 %seen) {
entry:
  br label %look
look:
  %looks = phi i32 [ 0, %entry ], [ 0, %awake ], [ 0, %go ], [ %more, %wait ]
  %gate = load atomic i64, ptr @gate acquire, align 8
  %invited = call i1 @invites(i64 %gate, i64 %index, i64 %seen)
  br i1 %invited, label %go, label %again
go:
  %one.more = add i64 %gate, 1
  %pair = cmpxchg ptr @gate, i64 %gate, i64 %one.more acq_rel monotonic
  %inside = extractvalue { i64, i1 } %pair, 1
  br i1 %inside, label %done, label %look
again:
  %more = add i32 %looks, 1
  %long = icmp ugt i32 %more, 2000
  br i1 %long, label %sleep, label %wait
wait:
  call void @pause()
  br label %look
sleep:
  ; Who opens the gate looks for sleepers after it; who falls asleep looks at the gate after it is one of them.
  %0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %1 = atomicrmw add ptr @sleepers, i64 1 seq_cst
  %now = load atomic i64, ptr @gate seq_cst, align 8
  %called = call i1 @invites(i64 %now, i64 %index, i64 %seen)
  br i1 %called, label %awake, label %rest
rest:
  %2 = call i32 @pthread_cond_wait(ptr @cond, ptr @mutex)
  br label %awake
awake:
  %3 = atomicrmw sub ptr @sleepers, i64 1 seq_cst
  %4 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %look
done:
  %job = lshr i64 %gate, 32
  ret i64 %job
}

declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
