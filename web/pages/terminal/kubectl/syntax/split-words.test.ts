import { describe, expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

const words = (line: string, isPartial = false) => splitWords(line, isPartial).map(({ text }) => text);

describe('a command line', () => {
  it('is split into words as a shell does', () => {
    expect(words('  get   pods -n  web ')).toEqual(['get', 'pods', '-n', 'web']);
    expect(words(`exec web -- sh -c 'echo "$POD" | wc'`)).toEqual([
      'exec',
      'web',
      '--',
      'sh',
      '-c',
      'echo "$POD" | wc',
    ]);
    expect(words('a "b \\"c\\" \\n" d\\ e f""g')).toEqual(['a', 'b "c" \\n', 'd e', 'fg']);
    expect(words("''")).toEqual(['']);
    expect(words('')).toEqual([]);
    expect(splitWords('get  "a b"')[1]).toEqual({ text: 'a b', from: 5 });
  });

  it('has no pipes, redirections or variables', () => {
    for (const line of ['get pods | grep x', 'get pods > file', 'get $KIND', 'get pods; get svc', 'get `x`', 'get *'])
      expect(() => words(line), line).toThrow(/no shell/);
    expect(words("get pods -l 'app in (a,b)'")).toEqual(['get', 'pods', '-l', 'app in (a,b)']);
  });

  it('with an unclosed quote is an error, except while it is typed', () => {
    expect(() => words("get 'pods")).toThrow(/is not closed/);
    expect(words("get 'po", true)).toEqual(['get', 'po']);
    expect(words('get po|', true)).toEqual(['get', 'po|']);
  });
});
