import { claimPermissions } from '../side-by-side/areas/policies/claim-permissions.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';

const title = 'permissions to write claims for devices, beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: [], authorization: 'RBAC', api: 'full' }, (pair) => {
  claimPermissions(pair);
});
