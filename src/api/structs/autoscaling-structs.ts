import { alwaysPrinted, struct, value } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const autoscaling = 'io.k8s.api.autoscaling.v1';

const scaleSpec = struct(`${autoscaling}.ScaleSpec`, { replicas: value(1, 'int32') });

const scaleStatus = struct(`${autoscaling}.ScaleStatus`, { replicas: alwaysPrinted(1, 'int32'), selector: value(2) });

export const scale = struct(`${autoscaling}.Scale`, {
  metadata: value(1, objectMeta),
  spec: value(2, scaleSpec),
  status: value(3, scaleStatus),
});
