/** All of the editor, which is fetched at once when somebody first needs any of it. */
export { ObjectEditorPanel } from './object-editor-panel.tsx';
export { ValueDiffView } from './value-diff-view.tsx';
export { YamlEditor } from './yaml-editor.tsx';
