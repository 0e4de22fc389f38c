export { yamlText } from './yaml-text.ts';
