export { goJsonTypeName } from './go-json-type-name.ts';
export { goQuote } from './go-quote.ts';
export { goTypeOf, printGo, printGoSource } from './go-value.ts';
export { createTextSearch, lastIndexOfText, splitText, type TextSearch } from './text-search.ts';
