/** The package `trestle-board`: a session, a replica and a layout without a document. Types: index.d.ts. */
export {ages, motionOf} from './layout/motion.js';
export {rowFace} from './layout/rowface.js';
export {parseState, rowContent} from './layout/rows.js';
export {scrollOf, stripEnd, stripLayout, stripPage, stripRest} from './layout/strip.js';
export {announces, pullFor, release, restOf, swipeFrames} from './layout/swipe.js';
export {TableLayout} from './layout/table.js';
export {shown, textWidth, wrap} from './layout/text.js';
export {BadPredicate, predicate, rowPredicate} from './model/predicate.js';
export {fieldOf} from './model/read.js';
export {Table} from './model/table.js';
export {openSession} from './sync/session.js';
export {browserStorage, memoryStorage} from './sync/storage.js';
