import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';

const classes = '/apis/storage.k8s.io/v1/storageclasses';

/** Documents with unknown and duplicate fields of a built-in kind. */
const documents = [
  '{"unk":1,"provisioner":"a","provisioner":"b","metadata":{"name":"NAME","meta":1}}',
  '{"provisioner":"a","unk":1,"provisioner":"b","metadata":{"meta":1,"name":"NAME"},"unk":2}',
  '{"allowedTopologies":[{"matchLabelExpressions":[{"x":{"a":1,"a":2},"key":"k","key":"l","values":["v"]}],"y":1}],' +
    '"x":{"a":1,"a":2},"parameters":{"p":"1","p":"2"},"provisioner":"a","metadata":{"labels":{"l":"1","l":"2"},"name":"NAME"}}',
];

/** Compares strict decoding of built-in kinds. */
export function typedBodies(pair: Pair): void {
  describe('Bodies of built-in kinds', () => {
    const compared = comparedTests(pair);

    compared('have unknown and duplicate fields reported in the order of the document (DEC-11)', async () => {
      for (const mode of ['Warn', 'Strict', 'Ignore']) {
        for (const [index, text] of documents.entries()) {
          const body = text.replace('NAME', `typed-${mode.toLowerCase()}-${index}`);
          const headers = { 'content-type': 'application/json' };
          await pair.send({ method: 'POST', path: `${classes}?fieldValidation=${mode}`, body, headers });
        }
      }
    });
  });
}
