export { enumerationUnits, type JsonUnits, jsonWork, sortUnits, tryChargeJson } from './json-work.ts';
export { disableMeters, metersEnabled, WorkLimitError, WorkMeter } from './work-meter.ts';
