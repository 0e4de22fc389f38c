/** The entry point of the editor chunk, which is loaded when any part of it is first needed. */
export { ObjectEditorPanel } from './object-editor-panel.tsx';
export { ValueDiffView } from './value-diff-view.tsx';
export { YamlEditor } from './yaml-editor.tsx';
