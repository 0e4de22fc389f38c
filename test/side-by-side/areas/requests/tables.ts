import { area } from '../../area.ts';
import { age, asPartial, asPartialList, asTable, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

/** Compares objects as table rows, and as metadata only. */
export function tables(pair: Pair): void {
  area(pair, 'Tables', (compared, gadgets) => {
    compared('?includeObject of a list and of one object (NEG-23, TABLE-01 to TABLE-08)', async () => {
      await gadgets.post(gadget('plain'));
      const spec = { color: 'blue', when: '2020-01-01T00:00:00Z', ratio: 1.5, raw: { a: [1, 'x'], b: { c: true } } };
      await gadgets.post(gadget('rich', { spec: { ...spec, flag: true } }));
      await gadgets.post(gadget('empty', { spec: {} }));
      const headers = { accept: asTable };
      // Both servers print the same age for the past date in `when`, because the age is in years.
      for (const include of ['None', 'Metadata', 'Object', '', 'x', 'none']) {
        await gadgets.get(`?limit=3&includeObject=${include}`, { headers, ignoredFields: age });
        await gadgets.get(`/rich?includeObject=${include}`, { headers, ignoredFields: age });
      }
      await gadgets.get('?includeObject=x&limit=1');
    });

    compared('other representations (NEG-10, TABLE-08, TABLE-11)', async () => {
      const older = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
      for (const accept of [older, `${asTable},application/json`, asPartial, asPartial.replace('v=v1', 'v=v1beta1')]) {
        await gadgets.get('/rich', { headers: { accept }, ignoredFields: age });
      }
      for (const accept of [asPartialList, asPartialList.replace('v=v1', 'v=v1beta1'), older]) {
        await gadgets.get('?limit=2', { headers: { accept }, ignoredFields: age });
        await gadgets.get('', { headers: { accept }, ignoredFields: age });
      }
      await gadgets.post(gadget('made'), { headers: { accept: asPartial } });
    });
  });
}
