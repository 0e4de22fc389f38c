import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ManagerInfo, managerIdentity } from './managers.ts';

it('managers are identified by the same text as in kube-apiserver (SSA-18)', () => {
  const names = fc.oneof(fc.constantFrom('', 'kubectl', 'a"b\\c', '\u2028ü', '\ud800'), fc.string());
  fc.assert(
    fc.property(names, fc.constantFrom('Apply', 'Update'), names, names, (manager, operation, apiVersion, through) => {
      const info: ManagerInfo = { manager, operation, apiVersion, subresource: through };
      const expected = {
        ...(manager === '' ? {} : { manager }),
        operation,
        ...(operation === 'Apply' ? {} : { apiVersion }),
        ...(through === '' ? {} : { subresource: through }),
      };
      expect(managerIdentity(info)).toBe(JSON.stringify(expected));
    }),
  );
});
