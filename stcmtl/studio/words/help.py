"""The maths behind every figure, in two lines each."""

COEFFICIENTS = (
    "Every task's coefficients are a mixture of the clusters': $w_i = U v_i$, $W = UV$.  \n"
    "$U$ is sparse, so whole rows of $W$ are exactly zero."
)
OWN_COEFFICIENTS = (
    "Every task's coefficients are made by the clusters, plus its own: $w_i = U v_i + d_i$.  \n"
    "The shared part is $U v_i$; $d_i$ is shrunk by one level for all tasks."
)
ALONE_COEFFICIENTS = (
    "Every task has coefficients of its own, fitted to its rows alone.  \n"
    "The kind of penalty, and where one serves all tasks its level, is chosen by cross-validation."
)
PATTERN = (
    "A cell is filled where $W_{di} \\neq 0$.  \n"
    "MCC is the Matthews correlation between true and estimated patterns."
)
ERRORS = (
    "$\\hat W - W$, on the scale of the coefficients.  \nREE $= \\|\\hat W - W\\|_F / \\sqrt{DT}$."
)
CLUSTERS = (
    "Column $k$ of $U$: the coefficients of a task that belongs to cluster $k$ alone.  \n"
    "Found by $\\min_U \\sum_i \\frac{1}{n_i} L(y_i, X_i U v_i) + \\mathrm{penalty}(U)$."
)
SIMILARITY = (
    "$S = W'W$; the cosine is $S_{ij} / \\sqrt{S_{ii} S_{jj}}$, from -1 to 1.  \n"
    "After the fit, tasks that follow one pattern have equal columns: what is in the data shows "
    "before it, in every task's own coefficients."
)
PURITY = (
    "$p_i = \\frac{1}{|N_i|} \\sum_{j \\in N_i} |S_{ij}| / m_j$ with "
    "$m_j = \\max_{l \\neq j} |S_{jl}|$.  \n"
    "SOUP takes the share $\\theta$ with the highest scores for pure."
)
SIMPLEX = (
    "$v_i \\geq 0$, $\\sum_k v_{ki} = 1$: a point of a simplex, a corner each cluster.  \n"
    "A pure task sits on a corner, a mixed one between corners."
)
BARS = (
    "Each bar is one $v_i$: its parts are not negative and sum to one.  \n"
    "A task with one part is pure: its coefficients are its cluster's, $w_i = u_k$."
)
STRENGTHS = (
    "$w_i = s_i U v_i$ with $v_i$ on the simplex: its place, and $s_i > 0$, its strength, the size "
    "of its mark.  \nClusters are scaled so that their tasks have strength one on average."
)
LOADINGS = (
    "$w_i = U v_i$: $v_{ki}$ is how much of pattern $k$ task $i$ adds, or subtracts where it is "
    "negative.  \nThe strength of a task is $\\sum_k |v_{ki}|$."
)
OWN_SHARES = (
    "$w_i = U v_i + d_i$: $d_i$ is task $i$'s own, shrunk by one level for all tasks.  \n"
    "Its share: $\\mathrm{var}(X_i d_i) / (\\mathrm{var}(X_i d_i) + \\mathrm{var}(X_i U v_i))$."
)
CONVERGENCE = (
    "$\\sum_i \\frac{1}{n_i} L(y_i, X_i U v_i + b_i) + \\mathrm{penalty}(U)$, by iteration.  \n"
    "The refinement has another penalty, whose level follows the shares, so that its objective has "
    "a scale of its own and may rise. One measure for both stages: the error on test rows."
)
HELD_OUT_ERRORS = (
    "The error of $X_i U v_i + b_i$ on test rows, as $U$, $v_i$ and $b_i$ were after each "
    "iteration.  \nOwn parts, and intercepts that borrow strength, come on top at the very end."
)
OUTLIERS = (
    "$D_i = \\|w_i - U \\theta_i\\|$ from a task's own coefficients to the nearest mixture.  \n"
    "Fence: upper quartile $+$ factor $\\times$ interquartile range of all $D_i$.  \n"
    "A robust fit asks rows held out instead: a task is out if its own fit gains beyond such a "
    "fence, now of all gains, and its log likelihood ratio to the best mixture (rows count for "
    "half, a loss that is unusual as noise adds to it) exceeds factor $+ \\log T$."
)
K_CURVE = (
    "Mean error on rows held out within every task, over the folds.  \n"
    "One standard error: the smallest $K$ whose error is within one of the lowest."
)
CHOICE = (
    "$w_i = U v_i + d_i$: $v_i$ on the simplex (mixtures), $v_i \\geq 0$ (with strengths) or free "
    "(subtracted); $d_i$ is a task's own.  \n"
    "Everything is fitted again without each fold. Taken is the simplest whose loss, task by "
    "task, is not above the lowest by more than a standard error.  \n"
    "Simplest first: one pattern; every task on its own; one pattern and deviations; mixtures, "
    "with strengths, subtracted, fewer clusters first; then these with deviations."
)
SINGULAR = (
    "Singular values of the tasks' own coefficients, centred.  \n"
    "$K$ clusters span $K - 1$ directions, so $\\sigma_{K-1} / \\sigma_K$ stands out."
)
ROWS = (
    "$n_i$ rows of task $i$. In the fit every task weighs the same: its loss is divided by "
    "$n_i$.  \nA task with few rows borrows strength from its cluster."
)
TARGETS = (
    "Quantiles of $y_i$ in every task; for two labels the share of the positive one.  \n"
    "A task's level goes into its own intercept: clusters are about coefficients."
)
NEW_TASK = (
    "$\\min_{v, b} \\frac{1}{n} L(y, X U v + b)$ over the simplex, with the clusters $U$ of the "
    "fit.  \nNo mixture fits a task whose loss is beyond that of the fitted ones, and beyond "
    "chance."
)
CHANGES = (
    "$\\max |U^{(t)} - U^{(t-1)}|$ and $\\max |V^{(t)} - V^{(t-1)}|$ after iteration $t$.  \n"
    "Both fall as the iterations settle; the scale is logarithmic."
)
SECONDS = (
    "An iteration finds memberships $V$, then cluster coefficients $U$, then $W$.  \n"
    "The strength of the penalty on $U$ is chosen once, at the start of a stage."
)
REPLAY = (
    "Left: $v_i$ of every task. Right: its coefficients, one column per task: $W$ after a step of "
    "$V$ or $W$, the mixtures $U V$ after a step of $U$.  \n"
    "The refinement, at the end, makes pure tasks and unused features exact."
)
COMPARISON = (
    "RMSE or error rate on rows no fit has seen. REE $= \\|\\hat W - W\\|_F / \\sqrt{DT}$; MCC: "
    "the correlation of true and estimated zeros.  \n"
    "A lead is clear where its mean over the repetitions exceeds two standard errors. Seconds "
    "are those of this machine, and of what else it does meanwhile."
)
PAPER = (
    "REE $= \\|\\hat W - W\\|_F / \\sqrt{DT}$, and with uncorrelated features "
    "$\\mathrm{RMSE}^2 - 0.5^2 = D \\, \\mathrm{REE}^2$ but for chance.  \n"
    "The oracle is least squares that knows $V$ and which entries of $U$ are zero."
)

INTERVALS = (
    "Intervals of $v_{ki}$ from Fisher's information, of a model with this $K$ and shape.  \n"
    "They hold the truth as often as asked; percentiles of resamples would be too narrow."
)
KEPT = (
    "Rows are drawn again within tasks, with replacement, and the fit goes on from where it "
    "ended.  \nClusters of each resample are matched to the fit's before they are compared."
)
TOGETHER = (
    "Cell $(i, j)$: the share of resamples in which "
    "$\\arg\\max_k v_{ki} = \\arg\\max_k v_{kj}$.  \nTasks stand in the order of the similarity."
)
CHOSEN = (
    "Cell $(d, k)$: the share of resamples in which $U_{dk} \\neq 0$, with the penalty of the "
    "fit.  \nA feature that is chosen in few of them owes its place to some rows."
)
MOVES = (
    "Clusters of the earlier fit are matched: the permutation $p$ with the least "
    "$\\sum_k |v_{p_k} - v_k|_1$.  \nA task has moved by $\\frac{1}{2} |v_i - v_i'|_1$, the share "
    "of its membership that is elsewhere."
)
