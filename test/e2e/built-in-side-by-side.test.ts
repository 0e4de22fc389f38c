import { printedKinds } from '../side-by-side/areas/kinds/printed-kinds.ts';
import { strategicMerges } from '../side-by-side/areas/objects/strategic-merges.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { builtInDifferences } from '../side-by-side/differences/built-in-kinds.ts';

const title = 'kinds that Kubernetes has itself, beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: builtInDifferences }, (pair) => {
  strategicMerges(pair);
  printedKinds(pair);
});
