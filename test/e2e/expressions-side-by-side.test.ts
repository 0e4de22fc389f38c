import { validationRules } from '../side-by-side/areas/custom-resources/validation-rules.ts';
import { policies } from '../side-by-side/areas/policies/policies.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { policyDifferences } from '../side-by-side/differences/policies.ts';

const title = 'expressions beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: policyDifferences }, (pair) => {
  validationRules(pair);
  policies(pair);
});
