export { WorkLimitError, WorkMeter } from './work-meter.ts';
