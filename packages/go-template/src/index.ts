export { renderGoTemplate, templateSyntaxError } from './render.ts';
export { TemplateError } from './template-error.ts';
