import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from '../../data/session/page-settings.ts';

/** The styles of the editor. Colors are CSS variables of the page, so that the editor follows the color scheme. */
const look = EditorView.theme({
  '&': { fontSize: '13px', color: 'inherit', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    minHeight: 'var(--code-least, 4em)',
    maxHeight: 'var(--code-most, 70vh)',
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: '1.55',
    overflow: 'auto',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'currentColor' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--code-mark)', border: 'none', paddingLeft: '4px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--code-active)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'currentColor' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--code-active)',
    color: 'var(--quiet)',
    border: '1px solid var(--line)',
  },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'inherit', borderColor: 'var(--line)' },
  '.cm-panels button, .cm-panels input': { color: 'inherit', fontSize: '13px' },
  '.cm-panels input': { backgroundColor: 'var(--card)', border: '1px solid var(--line)' },
  '.cm-panels button': { backgroundColor: 'var(--card)', backgroundImage: 'none', border: '1px solid var(--line)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: '0 6px 24px rgb(0 0 0 / 18%)',
    overflow: 'hidden',
    zIndex: '350',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '13px',
    maxHeight: '15em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-color-tide-8)',
    color: 'white',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px', maxWidth: '340px', fontSize: '13px' },
  '.cm-hint': { padding: '8px 12px', maxWidth: '420px', fontSize: '13px' },
  '.cm-hint-name': { fontFamily: 'var(--mantine-font-family-monospace)', fontWeight: '600' },
  '.cm-hint-type': { color: 'var(--quiet)' },
  '.cm-diagnostic': { padding: '6px 12px', borderLeftWidth: '3px', fontSize: '13px' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--code-added) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--code-removed) !important', paddingLeft: '6px' },
  '.cm-changedText, .cm-insertedLine .cm-changedText': { background: 'var(--code-added-text) !important' },
  '.cm-deletedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--code-removed-text) !important' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
  '.cm-collapsedLines': { background: 'var(--code-active)', color: 'var(--quiet)', padding: '4px 10px' },
});

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue, tags.content], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.typeName], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta, tags.labelName], color: 'var(--code-mark)' },
]);

export const codeTheme: Extension = [EditorView.cspNonce.of(styleNonce), look, syntaxHighlighting(colors)];
