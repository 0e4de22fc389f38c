import { area } from '../../area.ts';
import { asPartial, asTable, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const accepts = [
  '*/*',
  'application/*',
  'application/json',
  'application/yaml',
  'text/plain',
  'application/xml',
  'text/*',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/yaml;q=0.5,application/json;q=0.9',
  'application/json;q=0.1,application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Table;v=v2;g=meta.k8s.io',
  'application/json;as=Table;v=v2;g=meta.k8s.io,application/json',
  'application/json;as=Table',
  'application/json;as=Table;g=meta.k8s.io',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Foo;v=v1;g=meta.k8s.io',
  'application/json;as=Foo;v=v1;g=meta.k8s.io,application/yaml',
  'application/json;foo=bar',
  'application/json;pretty=1',
  'application/json;pretty=0',
  'application/cbor',
  'application/cbor,application/json',
  'garbage',
  ',',
  'application/json;q=0',
  'application/json;charset=utf-8',
  'Application/JSON',
  'application/json;stream=watch',
  'application/apidiscovery',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
];

const contentTypes = [
  'text/plain',
  'application/xml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8;foo',
  'APPLICATION/JSON',
  'application/yaml; x=y',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  'application/json, application/yaml',
  '',
  'garbage',
  'application/apply-patch+yaml',
  'multipart/form-data; boundary=x',
];

/** Compares the media types of request and response bodies. */
export function negotiation(pair: Pair): void {
  area(pair, 'Negotiation', (compared, gadgets) => {
    compared('Accept of a read: one object, a list, an error (NEG-07 to NEG-15, NEG-18)', async () => {
      await gadgets.post(gadget('base'));
      for (const accept of accepts) {
        for (const where of ['/base', '', '/nope'])
          await gadgets.get(where, { headers: { accept }, ignoredFields: /\.cells\[7\]/ });
      }
    });

    compared('metadata in protobuf (NEG-14)', async () => {
      for (const version of ['v1', 'v1beta1']) {
        for (const [where, kind] of [
          ['/base', 'PartialObjectMetadata'],
          ['', 'PartialObjectMetadataList'],
        ] as const) {
          const parameters = `as=${kind};g=meta.k8s.io;v=${version}`;
          const accept = `application/vnd.kubernetes.protobuf;${parameters},application/json;${parameters}`;
          await gadgets.get(where, { headers: { accept }, ignoredFields: /^body/ });
          await gadgets.get(where, { headers: { accept: accept.replace(/,.*/, '') }, ignoredFields: /^body/ });
        }
      }
    });

    compared('Accept of a write (NEG-16)', async () => {
      for (const [at, accept] of [asTable, asPartial, 'text/plain', 'application/yaml'].entries()) {
        const headers = { accept };
        await gadgets.post(gadget(`written-${at}`), { headers, ignoredFields: /\.cells\[7\]/ });
        await gadgets.delete(`/written-${at}`, undefined, { headers });
      }
    });

    compared('the type of a body (NEG-01 to NEG-05)', async () => {
      for (const [at, type] of contentTypes.entries()) {
        await gadgets.post(gadget(`typed-${at}`), { headers: { 'content-type': type } });
      }
      await gadgets.post(gadget('untyped'), { headers: { 'content-type': null } });
    });

    compared('pretty printing by parameter and by user agent (NEG-19)', async () => {
      const lines = (text: string) => ({ lines: text.split('\n').length, newlineAtTheEnd: text.endsWith('\n') });
      const queries = [
        '',
        '?pretty=1',
        '?pretty=true',
        '?pretty=0',
        '?pretty=false',
        '?pretty=',
        '?pretty',
        '?pretty=x',
      ];
      for (const agent of ['curl/8', 'Wget/1', 'Mozilla/5.0 (X)', 'kubectl/v1.30', '']) {
        for (const query of queries) {
          for (const name of ['base', 'nope']) {
            const [theirs, ours] = await gadgets.get(`/${name}${query}`, { headers: { 'user-agent': agent } });
            pair.compareValues(`lines of ${name}${query} for ${agent}`, lines(theirs.text), lines(ours.text));
          }
        }
      }
    });
  });
}
