export { renderGoTemplate, templateSyntaxError } from './render.ts';
export { TemplateError } from './template-error.ts';
export { createTemplateMeter } from './template-work.ts';
