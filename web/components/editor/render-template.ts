/**
 * The server's own template renderer. Its regular expression engine is large, so it is loaded when a template is
 * edited.
 */
export { renderDefinition } from '../../../src/api/management/render-definition.ts';
