const { threadProgram } = require('./cached-program.js');

// The first file of a thread of a server that runs from the single file (src/process/threads/start-thread.ts).
const [name, program] = process.argv.slice(2);
threadProgram(program).threads[name]();
