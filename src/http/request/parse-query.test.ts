import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { parseQuery, parseQueryLeniently } from './parse-query.ts';

const parameters = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=${at}`).join('&');

it('the parameters of a URL are parsed', () => {
  expect([...parseQuery('/a?b=c&d=%20e')]).toEqual([
    ['b', 'c'],
    ['d', ' e'],
  ]);
  expect([...parseQuery('/a')]).toEqual([]);
  expect(parseQuery(`/a?${parameters(1_000)}`).get('p999')).toBe('999');
});

it('a query with more than 1,000 parameters is rejected', () => {
  const url = `/a?${parameters(1_001)}`;
  expect(() => parseQuery(url)).toThrow(StatusError);
  expect(() => parseQuery(url)).toThrow('the query has more than 1000 parameters');
  expect([...parseQueryLeniently(url)]).toEqual([]);
  expect(parseQueryLeniently('/a?pretty=1').get('pretty')).toBe('1');
});
