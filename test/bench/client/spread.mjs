/**
 * Has the workers take one number after the other, each when it is done with its last, until all are taken or the
 * seconds are over. Gives how many milliseconds each took, in the order in which they ended.
 */
export async function spread(workers, { count, seconds = Number.POSITIVE_INFINITY }, act) {
  const times = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const work = async (worker) => {
    for (let begun = performance.now(); next < count && begun < end; begun = performance.now()) {
      await act(worker, next++);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(workers.map(work));
  return times;
}
