/** Owns the further runs of what missed its bar: the referee waits fixed times, which a busy machine may not keep. */

interface Judged {
  readonly faults: readonly string[];
}

/** What is wrong misses every time; a machine with four busy loops beside the referee has missed twice in a row. */
const MOST_RUNS = 4;

/** Runs it until it keeps its bar, a few times at most; each miss is printed, so that one that comes often is seen. */
export async function withFurtherChances<Score extends Judged>(run: () => Promise<Score>): Promise<Score> {
  let score = await run();
  for (let runs = 1; score.faults.length > 0 && runs < MOST_RUNS; runs += 1) {
    for (const fault of score.faults) console.log(`once more, after ${fault}`);
    score = await run();
  }
  return score;
}
