// The load client, as a separate process: runs the jobs that it receives, one at a time, and returns the measurements.
// It is the same for every server.
import { ask } from './jobs/ask.mjs';
import { askPlanes } from './jobs/ask-planes.mjs';
import { churn } from './jobs/churn.mjs';
import { churnPlanes } from './jobs/churn-planes.mjs';
import { createKeys } from './jobs/create-keys.mjs';
import { download } from './jobs/download.mjs';
import { fairness } from './jobs/fairness.mjs';
import { fanOut } from './jobs/fan-out.mjs';
import { instanceLives } from './jobs/instance-lives.mjs';
import { list } from './jobs/list.mjs';
import { makeAgents } from './jobs/make-agents.mjs';
import { makeKeys } from './jobs/make-keys.mjs';
import { makePlanes } from './jobs/make-planes.mjs';
import { read } from './jobs/read.mjs';
import { rest } from './jobs/rest.mjs';
import { revokeKeys } from './jobs/revoke-keys.mjs';
import { send } from './jobs/send.mjs';
import { usePlanes } from './jobs/use-planes.mjs';
import { write } from './jobs/write.mjs';

const jobs = {
  ask,
  askPlanes,
  churn,
  churnPlanes,
  createKeys,
  download,
  fairness,
  fanOut,
  instanceLives,
  list,
  makeAgents,
  makeKeys,
  makePlanes,
  read,
  rest,
  revokeKeys,
  send,
  usePlanes,
  write,
};

process.on('message', ({ job, target, options }) => {
  jobs[job](target, options).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: `${job}: ${error.stack}` }),
  );
});
process.once('disconnect', () => process.exit());
