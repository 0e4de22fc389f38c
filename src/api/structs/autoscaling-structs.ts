import { alwaysPrintedField, defineStruct, valueField } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const autoscaling = 'io.k8s.api.autoscaling.v1';

const scaleSpec = defineStruct(`${autoscaling}.ScaleSpec`, { replicas: valueField(1, 'int32') });

const scaleStatus = defineStruct(`${autoscaling}.ScaleStatus`, {
  replicas: alwaysPrintedField(1, 'int32'),
  selector: valueField(2),
});

export const scale = defineStruct(`${autoscaling}.Scale`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, scaleSpec),
  status: valueField(3, scaleStatus),
});
