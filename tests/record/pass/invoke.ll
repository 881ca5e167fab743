; A landing pad says which activation goes on, then takes the pointer from the thread's state.
; RUN: %check
; CHECK-LABEL: define i32 @invoke()
; CHECK:       [[ENTRY:%vestige.entry.*]] = alloca i64
; CHECK:       store volatile i64 {{.*}}, ptr [[ENTRY]]
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK:       invoke void @callee()
; CHECK:       fine:
; CHECK-NOT:   @__vestige_reannounce
; CHECK:       load ptr
; CHECK:       ret i32 0
; CHECK:       pad:
; CHECK-NEXT:  landingpad
; CHECK-NEXT:  catch
; CHECK-NEXT:  [[TIME:%.*]] = load volatile i64, ptr [[ENTRY]]
; CHECK-NEXT:  call void @__vestige_reannounce(i64 [[TIME]])
; CHECK:       load ptr
; CHECK:       store i32
; CHECK:       ret i32 1
; CHECK-LABEL: define void @cleanup()
; CHECK:       landingpad
; CHECK:       call void @__vestige_reannounce
; CHECK:       call preserve_mostcc ptr @__vestige_full_here
; CHECK:       store ptr %vestige.next
; CHECK-NEXT:  resume
declare void @callee()
declare i32 @__gxx_personality_v0(...)
define i32 @invoke() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @callee() to label %fine unwind label %pad
fine:
  ret i32 0
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  ret i32 1
}
define void @cleanup() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @callee() to label %fine unwind label %pad
fine:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
