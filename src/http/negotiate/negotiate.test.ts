import { describe, expect, it } from 'vitest';
import type { IncomingRequest } from '../exchange.ts';
import { bodyFormat, patchTypeOf, patchTypesOf } from './body-format.ts';
import { parseAccept, parseMediaRange } from './media-type.ts';
import { type NegotiateOptions, negotiate, negotiateError } from './negotiate.ts';

const request = (accept: string | undefined, userAgent = 'test'): IncomingRequest => ({
  method: 'GET',
  url: '/',
  headers: { accept, 'user-agent': userAgent },
  body: (async function* () {})(),
  remoteAddress: '',
  httpVersion: '2',
  webSocket: false,
  signal: new AbortController().signal,
});
const plain: NegotiateOptions = { formats: ['json', 'yaml'] };
const builtIn: NegotiateOptions = { formats: ['json', 'yaml', 'protobuf'] };
const form = (accept: string | undefined, options = plain, query = '') =>
  negotiate(request(accept), new URLSearchParams(query), options);
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('Accept', () => {
  it.each([undefined, '', '*/*', 'application/*', 'application/json', 'application/json;charset=utf-8'])(
    '%s selects JSON (NEG-07, NEG-09)',
    (accept) => {
      expect(form(accept)).toEqual({ format: 'json', pretty: false });
    },
  );

  it('clauses are ordered by q, then by specificity, then by position (NEG-08)', () => {
    expect(form('application/json;q=0.5,application/yaml').format).toBe('yaml');
    expect(form('*/*,application/yaml').format).toBe('yaml');
    expect(form('application/yaml,application/json').format).toBe('yaml');
    expect(form('application/json;q=0,application/yaml;q=0.1').format).toBe('yaml');
  });

  it('unsupported clauses are skipped (NEG-09, KUBECTL-01)', () => {
    const kubectl = `application/json;as=Table;v=v9;g=meta.k8s.io,${table},application/json`;
    expect(form(kubectl).transform).toEqual({ kind: 'Table', version: 'v1' });
    expect(form('application/json;as=Other;v=v1;g=meta.k8s.io,application/json').transform).toBeUndefined();
    expect(form('application/json;as=Table;v=v1,application/yaml')).toMatchObject({ format: 'yaml' });
    expect(form('application/json;stream=other,application/yaml').format).toBe('yaml');
    expect(form('application/json;sv=v2,application/yaml').format).toBe('yaml');
  });

  it('stream=watch is accepted everywhere, other streams are not (NEG-09)', () => {
    expect(negotiate(request('application/json;stream=watch'), new URLSearchParams(), plain).format).toBe('json');
    expect(() => negotiate(request('application/json;stream=tail'), new URLSearchParams(), plain)).toThrow();
  });

  it('three transforms are supported in two versions (NEG-10)', () => {
    for (const kind of ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']) {
      for (const version of ['v1', 'v1beta1']) {
        expect(form(`application/json;as=${kind};g=meta.k8s.io;v=${version}`).transform).toEqual({ kind, version });
      }
    }
  });

  it('a 406 lists the supported types (NEG-05, NEG-11, NEG-24)', () => {
    expect(() => form('application/xml')).toThrow(
      'only the following media types are accepted: application/json, application/yaml',
    );
    expect(() => form('application/cbor', builtIn)).toThrow(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
    expect(() => form('application/json;q=0')).toThrow('only the following');
  });

  it('a protobuf client gets JSON if it accepts that too (NEG-06, NEG-13)', () => {
    for (const options of [plain, builtIn]) {
      expect(form('application/vnd.kubernetes.protobuf,application/json', options).format).toBe('json');
    }
    expect(() => form('application/vnd.kubernetes.protobuf')).toThrow('only the following');
    expect(form('application/vnd.kubernetes.protobuf', builtIn).format).toBe('protobuf');
  });

  it('partial metadata is protobuf if the client prefers that, also for kinds without protobuf (NEG-14)', () => {
    const partial = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const protobuf = `application/vnd.kubernetes.protobuf;${partial}`;
    const transform = { kind: 'PartialObjectMetadata', version: 'v1' };
    for (const options of [plain, builtIn]) {
      const supported = { ...options, protobufMetadata: true };
      expect(form(`${protobuf},application/json;${partial}`, supported)).toMatchObject({
        format: 'protobuf',
        transform,
      });
      expect(form(`application/json;${partial},${protobuf}`, supported)).toMatchObject({ format: 'json', transform });
      expect(form(`${protobuf},application/json;${partial}`, options)).toMatchObject({ format: 'json', transform });
    }
    const custom = { ...plain, protobufMetadata: true };
    expect(() => form('application/vnd.kubernetes.protobuf', custom)).toThrow('only the following');
    const table = 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1';
    expect(() => form(table, { ...builtIn, protobufMetadata: true })).toThrow('only the following');
  });

  it('streams are JSON only (NEG-12)', () => {
    const watch: NegotiateOptions = { formats: ['json'], stream: true };
    expect(() => form('application/yaml', watch)).toThrow(
      'only the following media types are accepted: application/json;stream=watch',
    );
    expect(form('application/json;stream=watch', watch).format).toBe('json');
    expect(form('application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch', watch).format).toBe(
      'json',
    );
  });
});

describe('a header with thousands of media types or parameters', () => {
  it('is parsed in little time; those after the 64th are ignored', () => {
    expect(parseAccept('a/b,'.repeat(16_000))).toHaveLength(64);
    expect(parseAccept(`"",${'a/b,'.repeat(16_000)}`)).toHaveLength(63);
    expect(parseMediaRange(`a/b${';c=d'.repeat(16_000)}`)?.parameters.size).toBe(1);
    expect(parseMediaRange(`a/b${';x'.repeat(100)};as=Table`)?.parameters.has('as')).toBe(false);
  });
});

describe('indented output (NEG-19)', () => {
  const pretty = (query: string, userAgent: string, accept?: string) =>
    negotiate(request(accept, userAgent), new URLSearchParams(query), plain).pretty;

  it('is selected by the query, the header or the user agent', () => {
    expect(pretty('pretty=1', 'x')).toBe(true);
    expect(pretty('pretty=true', 'x')).toBe(true);
    expect(pretty('', 'x', 'application/json;pretty=1')).toBe(true);
    for (const agent of ['curl/8', 'Wget/1', 'Mozilla/5.0 (X)']) expect(pretty('', agent)).toBe(true);
    expect(pretty('', 'kubectl/1')).toBe(false);
  });

  it('is disabled by the query', () => {
    expect(pretty('pretty=0', 'curl/8')).toBe(false);
    expect(pretty('pretty=false', 'curl/8')).toBe(false);
  });

  it('depends on the user agent if the query is empty', () => {
    expect(pretty('pretty=', 'curl/8')).toBe(true);
    expect(pretty('pretty', 'kubectl/1')).toBe(false);
  });
});

describe('error bodies (NEG-18)', () => {
  it('are negotiated without transforms, and are indented JSON if nothing matches', () => {
    const query = new URLSearchParams();
    expect(negotiateError(request(table), query)).toEqual({ format: 'json', pretty: true });
    expect(negotiateError(request(`${table},application/yaml`), query)).toEqual({ format: 'yaml', pretty: false });
    expect(negotiateError(request('application/yaml'), query)).toEqual({ format: 'yaml', pretty: false });
    expect(negotiateError(request('application/xml'), query)).toEqual({ format: 'json', pretty: true });
  });
});

describe('Content-Type', () => {
  it('an absent content type means JSON, and parameters are ignored (NEG-01, NEG-02)', () => {
    expect(bodyFormat(undefined, plain.formats)).toBe('json');
    expect(bodyFormat('application/json;charset=utf-8', plain.formats)).toBe('json');
    expect(bodyFormat('Application/YAML', plain.formats)).toBe('yaml');
  });

  it.each(['text/plain', 'application/xml', 'application/merge-patch+json', 'application/cbor', 'nonsense'])(
    '%s is rejected (NEG-03, NEG-24)',
    (type) => {
      expect(() => bodyFormat(type, builtIn.formats)).toThrow(
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      );
    },
  );

  it('protobuf is accepted only for kinds that support it (NEG-05, NEG-06)', () => {
    expect(bodyFormat('application/vnd.kubernetes.protobuf', builtIn.formats)).toBe('protobuf');
    expect(() => bodyFormat('application/vnd.kubernetes.protobuf', plain.formats)).toThrow('unknown format');
  });

  it('parameters of patch types are ignored (PATCH-03)', () => {
    expect(patchTypeOf('application/apply-patch+yaml;charset=x', patchTypesOf({}))).toBe('apply');
  });

  it('strategic merge patches are accepted only for built-in kinds (PATCH-01, PATCH-02)', () => {
    const type = 'application/strategic-merge-patch+json';
    expect(patchTypeOf(type, patchTypesOf({ builtIn: true }))).toBe('strategic');
    expect(() => patchTypeOf(type, patchTypesOf({}))).toThrow(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  });
});
