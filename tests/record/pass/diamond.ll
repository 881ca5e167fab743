; One word per path: 0 or 1, known on each side and appended once, before the return.
; RUN: %check
; CHECK-LABEL: define i32 @diamond
; CHECK:       [[STATE:%.*]] = call {{.*}}@llvm.threadlocal.address{{.*}}@__vestige_thread
; CHECK:       [[NEXT:%.*]] = load ptr
; CHECK:       br i1 %c, label %left, label %right
; CHECK:       join:
; CHECK:       [[PATH:%vestige.path.*]] = phi i32 [ {{[01]}}, %left ], [ {{[01]}}, %right ]
; CHECK:       [[BASE:%.*]] = load i32, ptr @__vestige_slot
; CHECK:       [[WORD:%.*]] = add i32 [[PATH]], [[BASE]]
; CHECK:       store i32 [[WORD]], ptr [[NEXT]]
; CHECK:       icmp uge ptr
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  ret i32 %v
define i32 @diamond(i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  %v = phi i32 [ 1, %left ], [ 2, %right ]
  ret i32 %v
}
