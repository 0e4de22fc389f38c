import { policyParams } from '../side-by-side/areas/policies/policy-params.ts';
import { rbacAnswers } from '../side-by-side/areas/policies/rbac.ts';
import { rbacDecisions } from '../side-by-side/areas/policies/rbac-decisions.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { rbacDifferences } from '../side-by-side/differences/rbac.ts';

const title = 'RBAC beside that of kube-apiserver';

compareWithKubeApiserver(title, { own: rbacDifferences, authorization: 'RBAC' }, (pair) => {
  rbacAnswers(pair);
  rbacDecisions(pair);
  policyParams(pair);
});
