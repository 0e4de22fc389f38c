/**
 * The server's own template renderer. It is loaded only when a user edits a template, because its regular expression
 * engine is large.
 */
export { renderDefinition } from '../../../src/api/management/render-definition.ts';
