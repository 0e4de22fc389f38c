export { renderGoTemplate, templateSyntaxError } from './render.ts';
export { TemplateError } from './template-error.ts';
export { createSyntaxMeter, createTemplateMeter } from './template-work.ts';
