/** How much is done at full scale; a smaller scale does as much less of everything that takes long. */
export function sizesAt(scale) {
  const some = (count, least = 1) => Math.max(least, Math.round(count * scale));
  return {
    objects: some(10_000, 50),
    manyObjects: some(100_000, 100),
    creators: [1, 10, 64, 256].filter((clients) => scale >= 0.05 || clients <= 64),
    createSeconds: Math.max(0.5, 8 * scale),
    /** No more than these in one measurement, or one fast server would fill the disk for all that follows. */
    mostCreates: some(25_000, 100),
    /** Enough that the servers' code has been compiled for what it does most: less of it measures the compiler. */
    warmUps: scale >= 0.1 ? 3000 : some(3000, 20),
    keys: some(2000, 20),
    manyKeys: some(100_000, 100),
    /** Each leaves a failed authentication, and a source that has more than twenty is slowed down. */
    revokedKeys: 15,
    gets: some(20_000, 100),
    gotObjects: some(1000, 20),
    listRepeats: Math.max(2, Math.round(10 * Math.min(1, scale * 2))),
    watches: 25,
    pacedObjects: some(500, 10),
    watchers: some(1000, 20),
    fanOutWrites: some(100, 5),
    /** Enough single requests for a p99. */
    fairSeconds: Math.max(1, 5 * scale),
    /** Virtual clusters: those that nobody uses, those whose first answer is measured, those of a round. */
    planes: some(10_000, 50),
    askedPlanes: some(500, 10),
    planeWarmUps: some(300, 10),
    roundPlanes: some(1000, 20),
    planeRounds: scale >= 0.1 ? 10 : 3,
    /** Instances whose whole life is measured. */
    lives: some(10_000, 50),
    consoleViews: scale >= 0.1 ? 5 : 1,
    starts: scale >= 0.1 ? 3 : 1,
    idleSeconds: Math.max(0.5, 5 * Math.min(1, scale * 2)),
    /** For what is done to every object once: what is not done by then is not counted. */
    mostSeconds: 60,
  };
}
