export { compilePattern, compileUnits, matchUnits, PatternError, PatternSizeError } from './compile-pattern.ts';
