; From a block with two ways out into one with two ways in: the first such edge adds nothing and needs no block of its own.
; RUN: %check
; CHECK-LABEL: define i32 @critical(
; CHECK-NOT:   vestige.edge
; CHECK:       phi i32 [ 1, %side ], [ 0, %entry ]
; CHECK-LABEL: define i32 @both(
; CHECK:       br i1 %d, label %join, label %vestige.edge
; CHECK:       br i1 %d, label %join, label %vestige.edge
; CHECK:       other:
; CHECK-NEXT:  phi i32
define i32 @critical(i1 %c) {
entry:
  br i1 %c, label %side, label %join
side:
  br label %join
join:
  %v = phi i32 [ 1, %entry ], [ 2, %side ]
  ret i32 %v
}
; Both ways out are critical, so one of them does.
define i32 @both(i1 %c, i1 %d) {
entry:
  br i1 %c, label %first, label %second
first:
  br i1 %d, label %join, label %other
second:
  br i1 %d, label %join, label %other
join:
  ret i32 1
other:
  ret i32 2
}
