export { goQuote } from './go-quote.ts';
export { goTypeOf, printGo, printGoSource } from './go-value.ts';
