import { serveTasks } from '../../task-thread.ts';
import { TASKS } from './secret-scan.ts';

serveTasks(TASKS);
