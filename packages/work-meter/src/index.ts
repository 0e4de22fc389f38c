export { disableMeters, metersEnabled, WorkLimitError, WorkMeter } from './work-meter.ts';
