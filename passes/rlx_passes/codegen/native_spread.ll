; Linux: threads of the pool stay off the processor of their caller.
;
; A thread that wakes may be put on the processor of who wakes it, even with others idle: where few processors share a
; cache, Linux does not look for one. It would get its turn when the caller's work is done. So before threads are woken,
; each loses the caller's processor from those it may run on, and gets back the one that it lost before.

declare i32 @sched_getcpu()
declare i32 @pthread_getaffinity_np(ptr, i64, ptr)
declare i32 @pthread_setaffinity_np(ptr, i64, ptr)

@lost = internal global [1024 x i32] zeroinitializer   ; by thread of the pool: 1 + the processor that it lost, or 0

define internal void @spread() {
entry:
  %mask = alloca [16 x i64]
  %here = call i32 @sched_getcpu()
  %known = icmp ult i32 %here, 1024
  br i1 %known, label %look, label %done
look:
  %index = phi i64 [ 0, %entry ], [ %next, %on ]
  %made = load i64, ptr @made
  %more = icmp slt i64 %index, %made
  br i1 %more, label %thread, label %done
thread:
  %place = getelementptr i32, ptr @lost, i64 %index
  %old = load i32, ptr %place
  %new = add i32 %here, 1
  %same = icmp eq i32 %old, %new
  br i1 %same, label %on, label %ask
ask:
  %slot = getelementptr ptr, ptr @pool, i64 %index
  %id = load ptr, ptr %slot
  %fault = call i32 @pthread_getaffinity_np(ptr %id, i64 128, ptr %mask)
  %fine = icmp eq i32 %fault, 0
  br i1 %fine, label %back, label %on
back:
  %has = call i1 @bit(ptr %mask, i32 %here)
  %some = icmp ne i32 %old, 0
  br i1 %some, label %give, label %take
give:
  %before = sub i32 %old, 1
  call void @flip(ptr %mask, i32 %before)
  br label %take
take:
  br i1 %has, label %put, label %on
put:
  call void @flip(ptr %mask, i32 %here)
  %refused = call i32 @pthread_setaffinity_np(ptr %id, i64 128, ptr %mask)   ; a mask of none is
  %set = icmp eq i32 %refused, 0
  %mark = select i1 %set, i32 %new, i32 %old
  store i32 %mark, ptr %place
  br label %on
on:
  %next = add i64 %index, 1
  br label %look
done:
  ret void
}

define internal i1 @bit(ptr %mask, i32 %number) {
  %word = lshr i32 %number, 6
  %place = getelementptr i64, ptr %mask, i32 %word
  %bits = load i64, ptr %place
  %low = and i32 %number, 63
  %wide = zext i32 %low to i64
  %shifted = lshr i64 %bits, %wide
  %result = trunc i64 %shifted to i1
  ret i1 %result
}

define internal void @flip(ptr %mask, i32 %number) {
  %word = lshr i32 %number, 6
  %place = getelementptr i64, ptr %mask, i32 %word
  %bits = load i64, ptr %place
  %low = and i32 %number, 63
  %wide = zext i32 %low to i64
  %one = shl i64 1, %wide
  %flipped = xor i64 %bits, %one
  store i64 %flipped, ptr %place
  ret void
}
