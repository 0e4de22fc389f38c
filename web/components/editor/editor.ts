/** The entry point of the editor chunk. The chunk is loaded when a page first needs one of these components. */
export { ObjectEditorPanel } from './object-editor-panel.tsx';
export { ValueDiffView } from './value-diff-view.tsx';
export { YamlEditor } from './yaml-editor.tsx';
