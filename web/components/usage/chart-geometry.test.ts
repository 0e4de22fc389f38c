import { expect, it } from 'vitest';
import { axisMaximum, chartLines } from './chart-geometry.ts';

const area = { from: 0, to: 100, step: 10, width: 100, height: 10 };
const at = (time: number, value?: number) => ({ time, value });

it('the chart interrupts the line where samples are missing or were not measured', () => {
  expect(chartLines([at(0, 0), at(10, 10), at(40, 5), at(50), at(60, 5)], area)).toEqual([
    '0.0,10.0 10.0,0.0',
    '40.0,5.0',
    '60.0,5.0',
  ]);
  expect(chartLines([at(0), at(10)], area)).toEqual([]);
});

it.each([
  [[], 1],
  [[0], 1],
  [[3], 5],
  [[0.12], 0.2],
  [[10], 10],
  [[11], 20],
  [[900], 1000],
])('the chart labels the axis of %j with %d', (values, maximum) => {
  expect(axisMaximum(values.map((value, index) => at(index, value)))).toBeCloseTo(maximum, 9);
});
