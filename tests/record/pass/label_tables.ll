; A table of labels goes with its function: each body has one of its own. That the module's first function names it in its
; description changes nothing; that another function reads it does: the function has one body then.
; RUN: opt-19 -load-pass-plugin=%plugin -passes=vestige,verify -S %s -o %t.ll && FileCheck-19 %s < %t.ll
; CHECK-NOT:   @read.paths
; CHECK:       @own.paths = internal constant [2 x ptr] [ptr blockaddress(@go, %more), ptr blockaddress(@go, %end)]
; CHECK-NEXT:  @own = internal constant [2 x ptr] [ptr blockaddress(@go, %more.values), ptr blockaddress(@go, %end.values)]
; CHECK-NEXT:  @read = internal constant [2 x ptr] [ptr blockaddress(@bare, %more), ptr blockaddress(@bare, %end)]
@own = internal constant [2 x ptr] [ptr blockaddress(@go, %more), ptr blockaddress(@go, %end)], !dbg !0
@read = internal constant [2 x ptr] [ptr blockaddress(@bare, %more), ptr blockaddress(@bare, %end)], !dbg !6
define ptr @first() {
  %label = load ptr, ptr @read
  ret ptr %label
}
define void @go(i64 %n) {
entry:
  br label %more
more:
  %at = getelementptr [2 x ptr], ptr @own, i64 0, i64 %n
  %to = load ptr, ptr %at
  indirectbr ptr %to, [label %more, label %end]
end:
  ret void
}
define void @bare(i64 %n) {
entry:
  br label %more
more:
  %at = getelementptr [2 x ptr], ptr @read, i64 0, i64 %n
  %to = load ptr, ptr %at
  indirectbr ptr %to, [label %more, label %end]
end:
  ret void
}
!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!8}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "own", scope: !2, file: !3, line: 1, type: !4, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !5)
!3 = !DIFile(filename: "labels.c", directory: "")
!4 = !DICompositeType(tag: DW_TAG_array_type, baseType: !9, size: 128, elements: !10)
!5 = !{!0, !6}
!6 = !DIGlobalVariableExpression(var: !7, expr: !DIExpression())
!7 = distinct !DIGlobalVariable(name: "read", scope: !2, file: !3, line: 2, type: !4, isLocal: true, isDefinition: true)
!8 = !{i32 2, !"Debug Info Version", i32 3}
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!10 = !{!11}
!11 = !DISubrange(count: 2)
