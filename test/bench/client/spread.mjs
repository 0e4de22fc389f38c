/**
 * Distributes numbers over the workers until all numbers are taken or the time is over. Each worker takes the next
 * number when it has finished the previous one. Returns the milliseconds for each number, in the order of completion.
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
