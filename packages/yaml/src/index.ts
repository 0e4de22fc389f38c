export { yamlText } from './yaml-text.ts';
export { yamlUnits } from './yaml-units.ts';
