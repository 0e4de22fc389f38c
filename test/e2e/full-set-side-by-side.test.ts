import { apiServices } from '../side-by-side/areas/api-services.ts';
import { autoscalerKinds } from '../side-by-side/areas/autoscaler-kinds.ts';
import { batchKinds } from '../side-by-side/areas/batch-kinds.ts';
import { classKinds } from '../side-by-side/areas/class-kinds.ts';
import { flowControlKinds } from '../side-by-side/areas/flow-control-kinds.ts';
import { networkKinds } from '../side-by-side/areas/network-kinds.ts';
import { podTemplateKinds } from '../side-by-side/areas/pod-template-kinds.ts';
import { serviceKinds } from '../side-by-side/areas/service-kinds.ts';
import { trafficKinds } from '../side-by-side/areas/traffic-kinds.ts';
import { volumeKinds } from '../side-by-side/areas/volume-kinds.ts';
import { workloadKinds } from '../side-by-side/areas/workload-kinds.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { fullSetDifferences } from '../side-by-side/differences/full-set.ts';

const title = 'kinds of the full set, beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: fullSetDifferences, api: 'full' }, (pair) => {
  classKinds(pair);
  networkKinds(pair);
  trafficKinds(pair);
  autoscalerKinds(pair);
  flowControlKinds(pair);
  volumeKinds(pair);
  workloadKinds(pair);
  serviceKinds(pair);
  apiServices(pair);
  podTemplateKinds(pair);
  batchKinds(pair);
});
