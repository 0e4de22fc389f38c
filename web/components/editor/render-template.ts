/** The server's own way to render a template. Its language of patterns is large: it is fetched when somebody edits one. */
export { renderDefinition } from '../../../src/api/management/render-definition.ts';
