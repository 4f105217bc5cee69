# SPDX-License-Identifier: Apache-2.0
"""The public names of Paddle 3.3.1 by module: (classes, other names). Made by tests/python/paddle_public_script.py."""

PUBLIC: dict[str, tuple[str, str]] = {
    "paddle": (
        "BFloat16Tensor BoolTensor ByteTensor CPUPlace CUDAPinnedPlace CUDAPlace CharTensor CustomPlace DataParallel DoubleTensor Event "
        "FloatTensor Generator HalfTensor IPUPlace IntTensor IrGuard LazyGuard LongTensor MmapStorage Model ParamAttr ShortTensor Size "
        "Stream Tensor XPUPinnedPlace XPUPlace device_guard dtype enable_grad no_grad set_grad_enabled",
        "FLAGS_trace_api abs abs_ acos acos_ acosh acosh_ adaptive_avg_pool1d add add_n addmm addmm_ all allclose amax amin angle any "
        "arange argmax argmin argsort argwhere as_complex as_real as_strided as_tensor asarray asin asin_ asinh asinh_ assign async_save "
        "atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d autocast baddbmm baddbmm_ bartlett_window batch bernoulli "
        "bernoulli_ bfloat16 bincount binomial bitwise_and bitwise_and_ bitwise_invert bitwise_invert_ bitwise_left_shift "
        "bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor "
        "bitwise_xor_ blackman_window block_diag bmm bool broadcast_shape broadcast_shapes broadcast_tensors broadcast_to bucketize "
        "cartesian_prod cast cast_ cat cauchy_ cdist cdouble ceil cfloat check_shape cholesky chunk clamp clear_async_save_task_queue "
        "clip clone column_stack combinations complex complex128 complex64 concat concatenate conj conv1d conv2d conv3d copysign "
        "copysign_ cos cos_ cosh cosh_ count_nonzero create_parameter crop cross cummax cummin cumprod cumprod_ cumsum cumsum_ "
        "cumulative_trapezoid deg2rad diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ disable_compat "
        "disable_signal_handler disable_static dist div div_ divide divide_ dot double dsplit dstack e eigvalsh einsum empty empty_like "
        "enable_compat enable_static eq equal equal_ equal_all erf erf_ erfinv exp expand expand_as expm1 expm1_ eye finfo flatten "
        "flatten_ flip float float16 float32 float64 float8_e4m3fn float8_e5m2 floor floor_divide floor_divide_ floor_mod floor_mod_ "
        "flops fmax fmin frac frac_ frexp from_dlpack from_numpy full full_like gammainc gammainc_ gammaincc gammaincc_ gammaln gammaln_ "
        "gather gather_nd gcd gcd_ ge geometric_ ger get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_cuda_rng_state "
        "get_cudnn_version get_default_device get_default_dtype get_device get_device_module get_flags get_rng_state grad greater "
        "greater_equal greater_equal_ greater_than greater_than_ group_norm gt half hamming_window hann_window heaviside histogram "
        "histogram_bin_edges histogramdd hsplit hstack hypot hypot_ i0 i0_ i0e i1 i1e iinfo imag in_dynamic_mode increment index_add "
        "index_add_ index_fill index_fill_ index_put index_put_ index_sample index_select inf inner int int16 int32 int64 int8 inverse "
        "ir_guard is_autocast_enabled is_compiled_with_cinn is_compiled_with_cuda is_compiled_with_custom_device "
        "is_compiled_with_distribute is_compiled_with_ipu is_compiled_with_rocm is_compiled_with_xpu is_complex is_empty "
        "is_floating_point is_grad_enabled is_integer is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal kaiser_window "
        "kron kthvalue layer_norm lcm lcm_ ldexp ldexp_ le lerp less less_ less_equal less_equal_ less_than less_than_ lgamma lgamma_ "
        "linspace load log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal log_normal_ logaddexp logcumsumexp logical_and "
        "logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logspace logsumexp long lt "
        "manual_seed masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_transpose max maximum mean "
        "median meshgrid min minimum mm mod mod_ mode monkey_patch_dtype monkey_patch_generated_methods_for_tensor "
        "monkey_patch_generated_methods_for_value monkey_patch_math_tensor monkey_patch_program monkey_patch_value monkey_patch_variable "
        "moveaxis msort mul multigammaln multigammaln_ multinomial multiplex multiply multiply_ mv nan nan_to_num nan_to_num_ nanmean "
        "nanmedian nanquantile nansum narrow ne neg neg_ negative new_init newaxis nextafter nonzero norm normal normal_ not_equal "
        "not_equal_ numel ones ones_like original_init outer pdist permute pi poisson polar polygamma polygamma_ positive pow pow_ prod "
        "pstring put_along_axis quantile rad2deg rand rand_like randint randint_like randn randn_like randperm range rank ravel raw real "
        "reciprocal reduce_as remainder remainder_ renorm renorm_ repeat_interleave reshape reshape_ reverse roll rot90 round row_stack "
        "rsqrt save scale scatter scatter_ scatter_add scatter_add_ scatter_nd scatter_nd_add scatter_reduce searchsorted seed "
        "select_scatter set_cuda_rng_state set_default_device set_default_dtype set_device set_flags set_printoptions set_rng_state sgn "
        "shape shard_index short sigmoid sign signbit sin sin_ sinc sinc_ sinh sinh_ slice slice_scatter softmax sort split sqrt square "
        "square_ squeeze squeeze_ stack standard_gamma standard_normal stanh std strided_slice sub sub_ subtract subtract_ sum summary "
        "swapaxes swapdims t t_ take take_along_axis take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot tile to_dlpack "
        "to_tensor tolist topk trace transpose transpose_ trapezoid tril tril_ tril_indices triu triu_ triu_indices true_divide trunc "
        "trunc_ uint16 uint32 uint64 uint8 unbind unflatten unfold uniform unique unique_consecutive unsqueeze unsqueeze_ unstack "
        "use_compat_guard vander var vecdot view view_as view_as_complex view_as_real vsplit vstack where where_ zeros zeros_like"),
    "paddle.amp": (
        "GradScaler",
        "auto_cast decorate get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype is_autocast_enabled is_bfloat16_supported "
        "is_float16_supported"),
    "paddle.amp.debugging": (
        "DebugMode TensorCheckerConfig",
        "check_layer_numerics check_numerics collect_operator_stats compare_accuracy disable_operator_stats_collection "
        "disable_tensor_checker enable_operator_stats_collection enable_tensor_checker"),
    "paddle.audio": (
        "",
        "info load save"),
    "paddle.audio.backends": (
        "",
        "get_current_backend list_available_backends set_backend"),
    "paddle.audio.datasets": (
        "ESC50 TESS",
        ""),
    "paddle.audio.features": (
        "LogMelSpectrogram MFCC MelSpectrogram Spectrogram",
        ""),
    "paddle.audio.functional": (
        "",
        "compute_fbank_matrix create_dct fft_frequencies get_window hz_to_mel mel_frequencies mel_to_hz power_to_db"),
    "paddle.autograd": (
        "Function PyLayer PyLayerContext saved_tensors_hooks",
        "backward hessian jacobian"),
    "paddle.autograd.ir_backward": (
        "",
        "calc_gradient calc_gradient_helper grad"),
    "paddle.callbacks": (
        "Callback EarlyStopping LRScheduler ModelCheckpoint ProgBarLogger ReduceLROnPlateau VisualDL WandbCallback",
        ""),
    "paddle.common_ops_import": (
        "LayerHelper OpProtoHolder ParamAttr VarDesc Variable",
        "check_dtype check_type check_variable_and_dtype convert_dtype convert_np_dtype_to_dtype_ default_main_program device_guard "
        "dygraph_only in_dygraph_mode"),
    "paddle.compat": (
        "",
        "equal max median min nanmedian seed slogdet sort split unique"),
    "paddle.compat.nn": (
        "AvgPool1D AvgPool1d AvgPool2D AvgPool2d AvgPool3D AvgPool3d Linear MultiheadAttention Softmax Unfold",
        ""),
    "paddle.compat.nn.functional": (
        "",
        "linear pad scaled_dot_product_attention softmax unfold"),
    "paddle.cuda": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event FloatTensor HalfTensor IntTensor LongTensor ShortTensor "
        "Stream StreamContext device",
        "check_error cudart current_device current_stream device_count empty_cache get_device_capability get_device_name "
        "get_device_properties get_rng_state get_stream_from_external ipc_collect is_available is_bf16_supported is_initialized "
        "manual_seed manual_seed_all max_memory_allocated mem_get_info memory_allocated memory_reserved reset_peak_memory_stats "
        "set_device set_rng_state set_stream stream synchronize"),
    "paddle.dataset": (
        "",
        ""),
    "paddle.dataset.common": (
        "",
        "DATA_HOME HOME cluster_files_reader download fetch_all md5file must_mkdirs split"),
    "paddle.device": (
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event FloatTensor HalfTensor IntTensor LongTensor ShortTensor "
        "Stream StreamContext device device_guard stream_guard",
        "IPUPlace XPUPlace current_stream device_count get_all_custom_device_type get_all_device_type get_available_custom_device "
        "get_available_device get_cudnn_version get_device get_device_capability get_device_name get_device_properties get_rng_state "
        "get_stream_from_external ipc_collect is_available is_bf16_supported is_compiled_with_cinn is_compiled_with_cuda "
        "is_compiled_with_custom_device is_compiled_with_distribute is_compiled_with_ipu is_compiled_with_rocm is_compiled_with_xpu "
        "is_current_stream_capturing manual_seed max_memory_allocated max_memory_reserved reset_max_memory_allocated "
        "reset_max_memory_reserved reset_peak_memory_stats set_device set_rng_state set_stream synchronize"),
    "paddle.device.cuda": (
        "Event Stream",
        "current_stream device_count empty_cache get_device_capability get_device_name get_device_properties max_memory_allocated "
        "max_memory_reserved memory_allocated memory_reserved memory_summary reset_max_memory_allocated reset_max_memory_reserved "
        "stream_guard synchronize vmm_compact"),
    "paddle.device.xpu": (
        "Event Stream",
        "device_count empty_cache max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_total memory_used "
        "reset_max_memory_allocated reset_max_memory_reserved set_debug_level synchronize"),
    "paddle.distributed": (
        "ColWiseParallel ContextParallel ConvParallel CountFilterEntry DistAttr DistModel InMemoryDataset LocalLayer ParallelEnv "
        "ParallelMode Partial Placement PrepareContextParallel PrepareLayerInput PrepareLayerOutput ProbabilityEntry ProcessMesh "
        "QueueDataset ReduceOp ReduceType Replicate RowWiseParallel SequenceParallelBegin SequenceParallelDisable SequenceParallelEnable "
        "SequenceParallelEnd Shard ShardedWeight ShardingStage1 ShardingStage2 ShardingStage3 ShowClickEntry SplitPoint Strategy",
        "ShardedStateDict all_gather all_gather_object all_reduce alltoall alltoall_single barrier broadcast broadcast_object_list "
        "build_sharded_state_dict create_nccl_config destroy_process_group dtensor_from_fn gather get_backend get_group get_mesh get_rank "
        "get_world_size gloo_barrier gloo_init_parallel_env gloo_release init_parallel_env irecv is_available is_initialized isend launch "
        "load_merged_state_dict load_state_dict local_map new_group parallelize recv recv_object_list reduce reduce_scatter reshard "
        "restart_process_group save_state_dict scatter scatter_object_list send send_object_list set_mesh shard_dataloader shard_layer "
        "shard_optimizer shard_scaler shard_tensor shard_weight shutdown_process_group spawn split to_distributed to_static "
        "unshard_dtensor wait"),
    "paddle.distributed.fleet": (
        "CommunicateTopology DistributedStrategy Fleet HybridCommunicateGroup MultiSlotDataGenerator MultiSlotStringDataGenerator "
        "PaddleCloudRoleMaker Role UserDefinedRoleMaker UtilBase",
        ""),
    "paddle.distributed.fleet.utils": (
        "DistributedInfer HDFSClient LocalFS",
        "recompute"),
    "paddle.distributed.passes": (
        "PassContext PassManager",
        "new_pass"),
    "paddle.distributed.rpc": (
        "",
        "get_all_worker_infos get_current_worker_info get_worker_info init_rpc rpc_async rpc_sync shutdown"),
    "paddle.distributed.sharding": (
        "",
        "group_sharded_parallel save_group_sharded_model"),
    "paddle.distribution": (
        "AbsTransform AffineTransform Bernoulli Beta Binomial Categorical Cauchy ChainTransform Chi2 ContinuousBernoulli Dirichlet "
        "Distribution ExpTransform Exponential ExponentialFamily Gamma Geometric Gumbel Independent IndependentTransform LKJCholesky "
        "Laplace LogNormal Multinomial MultivariateNormal Normal Poisson PowerTransform ReshapeTransform SigmoidTransform "
        "SoftmaxTransform StackTransform StickBreakingTransform StudentT TanhTransform Transform TransformedDistribution Uniform",
        "kl_divergence register_kl"),
    "paddle.distribution.chi2": (
        "Chi2",
        ""),
    "paddle.distribution.kl": (
        "",
        "kl_divergence register_kl"),
    "paddle.distribution.lkj_cholesky": (
        "LKJCholesky",
        ""),
    "paddle.distribution.transform": (
        "AbsTransform AffineTransform ChainTransform ExpTransform IndependentTransform PowerTransform ReshapeTransform SigmoidTransform "
        "SoftmaxTransform StackTransform StickBreakingTransform TanhTransform Transform",
        ""),
    "paddle.fft": (
        "",
        "fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 "
        "rfftfreq rfftn"),
    "paddle.framework": (
        "Block CPUPlace CUDAPinnedPlace CUDAPlace CustomPlace IPUPlace IrGraph LayerHelper OpProtoHolder ParamAttr Parameter Program "
        "XPUPinnedPlace XPUPlace no_grad",
        "async_save clear_async_save_task_queue convert_np_dtype_to_dtype_ deprecate_stat_dict disable_signal_handler disable_static "
        "dygraph_not_support dygraph_only enable_static generate_control_dev_var_name get_default_dtype get_flags grad in_dynamic_mode "
        "in_dynamic_or_pir_mode in_pir_executor_mode in_pir_mode is_belong_to_optimizer is_parameter is_persistable load "
        "monkey_patch_math_tensor monkey_patch_variable save seed set_default_dtype set_flags switch_main_program switch_startup_program "
        "use_pir_api"),
    "paddle.functional": (
        "",
        "atleast_1d atleast_2d atleast_3d broadcast_shapes einsum meshgrid norm split unique_consecutive"),
    "paddle.geometric": (
        "",
        "reindex_graph reindex_heter_graph sample_neighbors segment_max segment_mean segment_min segment_sum send_u_recv send_ue_recv "
        "send_uv weighted_sample_neighbors"),
    "paddle.hapi": (
        "",
        ""),
    "paddle.hapi.model": (
        "DataLoader Dataset DistributedBatchSampler DynamicGraphAdapter EarlyStopping Input Metric Model StaticGraphAdapter "
        "StaticPIRGraphAdapter Variable no_grad",
        "INFER_MODEL_SUFFIX INFER_PARAMS_SUFFIX _all_gather config_callbacks extract_args flatten_list global_scope in_dynamic_mode "
        "in_pir_mode init_communicator is_belong_to_optimizer prepare_distributed_context restore_flatten_list summary to_list to_numpy "
        "wait_server_ready"),
    "paddle.hub": (
        "",
        "help list load load_state_dict_from_url"),
    "paddle.incubate": (
        "LookAhead ModelAverage",
        "graph_khop_sampler graph_reindex graph_sample_neighbors graph_send_recv identity_loss inference segment_max segment_mean "
        "segment_min segment_sum softmax_mask_fuse softmax_mask_fuse_upper_triangle"),
    "paddle.incubate.asp": (
        "",
        "add_supported_layer calculate_density decorate prune_model reset_excluded_layers set_excluded_layers"),
    "paddle.incubate.autograd": (
        "Hessian Jacobian",
        "disable_prim enable_prim forward_grad grad jvp vjp"),
    "paddle.incubate.autotune": (
        "",
        "set_config"),
    "paddle.incubate.cc": (
        "",
        "compile"),
    "paddle.incubate.cc.compiler": (
        "",
        "compile"),
    "paddle.incubate.cc.fuse": (
        "",
        "by_register matmul"),
    "paddle.incubate.cc.typing": (
        "DTypeVar DimVar Tensor",
        ""),
    "paddle.incubate.nn": (
        "FusedBiasDropoutResidualLayerNorm FusedDropoutAdd FusedFeedForward FusedLinear FusedMultiHeadAttention FusedMultiTransformer "
        "FusedTransformerEncoderLayer",
        ""),
    "paddle.incubate.nn.functional": (
        "",
        "blha_get_max_len block_multihead_attention build_src_rank_and_local_expert_id cal_aux_loss "
        "cross_entropy_with_softmax_bwd_w_downcast embedding_grad_add_to_ expand_modality_expert_id fast_ln fast_rms_norm "
        "fp8_gemm_blockwise fp8_quant_blockwise fused_act_dequant fused_bias_act fused_bias_dropout_residual_layer_norm fused_dropout_add "
        "fused_feedforward fused_layer_norm fused_linear fused_linear_activation fused_matmul_bias fused_multi_head_attention "
        "fused_multi_transformer fused_rms_norm fused_rms_norm_ext fused_rotary_position_embedding fused_stack_transpose_quant "
        "fused_swiglu_weighted_bwd fused_transpose_split_quant fused_transpose_wlch_split_quant fused_weighted_swiglu_act_quant "
        "int_bincount masked_multihead_attention moe_combine moe_gate_dispatch moe_gate_dispatch_and_quant "
        "moe_gate_dispatch_partial_nosoftmaxtopk moe_gate_dispatch_permute variable_length_memory_efficient_attention"),
    "paddle.incubate.optimizer": (
        "",
        "LBFGS"),
    "paddle.incubate.optimizer.functional": (
        "",
        "minimize_bfgs minimize_lbfgs"),
    "paddle.io": (
        "BatchSampler ChainDataset ComposeDataset ConcatDataset DataLoader Dataset DistributedBatchSampler IterableDataset RandomSampler "
        "Sampler SequenceSampler Subset SubsetRandomSampler TensorDataset WeightedRandomSampler",
        "get_worker_info random_split"),
    "paddle.jit": (
        "TranslatedLayer",
        "enable_to_static ignore_module load not_to_static save set_code_level set_verbosity to_static"),
    "paddle.linalg": (
        "",
        "cholesky cholesky_inverse cholesky_solve cond corrcoef cov cross det diagonal eig eigh eigvals eigvalsh fp8_fp8_half_gemm_fused "
        "householder_product inv lstsq lu lu_solve lu_unpack matmul matrix_exp matrix_norm matrix_power matrix_rank matrix_transpose "
        "multi_dot norm ormqr pca_lowrank pinv qr slogdet solve svd svd_lowrank svdvals triangular_solve vecdot vector_norm"),
    "paddle.metric": (
        "Accuracy Auc Metric Precision Recall",
        "accuracy"),
    "paddle.nn": (
        "AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1D AdaptiveMaxPool1d "
        "AdaptiveMaxPool2D AdaptiveMaxPool2d AdaptiveMaxPool3D AdaptiveMaxPool3d AlphaDropout AvgPool1D AvgPool2D AvgPool3D BCELoss "
        "BCEWithLogitsLoss BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D BeamSearchDecoder BiRNN Bilinear CELU CTCLoss ChannelShuffle "
        "CircularPad1D CircularPad1d CircularPad2D CircularPad2d CircularPad3D CircularPad3d ClipGradByGlobalNorm ClipGradByNorm "
        "ClipGradByValue ConstantPad1D ConstantPad1d ConstantPad2D ConstantPad2d ConstantPad3D ConstantPad3d Conv1D Conv1DTranspose "
        "Conv1d Conv2D Conv2DTranspose Conv2d Conv3D Conv3DTranspose Conv3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss Dropout "
        "Dropout2D Dropout3D ELU Embedding FeatureAlphaDropout Flatten Fold FractionalMaxPool2D FractionalMaxPool3D GELU GLU GRU GRUCell "
        "GaussianNLLLoss GroupNorm HSigmoidLoss Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss Identity InstanceNorm1D "
        "InstanceNorm2D InstanceNorm3D KLDivLoss L1Loss LPPool1D LPPool1d LPPool2D LPPool2d LSTM LSTMCell Layer LayerDict LayerList "
        "LayerNorm LeakyReLU Linear LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1D MaxPool2D MaxPool3D "
        "MaxUnPool1D MaxUnPool2D MaxUnPool3D Maxout Mish Module ModuleDict ModuleList MultiHeadAttention MultiLabelMarginLoss "
        "MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PReLU Pad1D Pad2D Pad3D PairwiseDistance Parameter ParameterDict ParameterList "
        "PixelShuffle PixelUnshuffle PoissonNLLLoss RNN RNNCellBase RNNTLoss RReLU ReLU ReLU6 ReflectionPad1D ReflectionPad1d "
        "ReflectionPad2D ReflectionPad2d ReflectionPad3D ReflectionPad3d ReplicationPad1D ReplicationPad1d ReplicationPad2D "
        "ReplicationPad2d ReplicationPad3D ReplicationPad3d SELU Sequential SiLU Sigmoid Silu SimpleRNN SimpleRNNCell SmoothL1Loss "
        "SoftMarginLoss Softmax Softmax2D Softplus Softshrink Softsign SpectralNorm Swish SyncBatchNorm Tanh Tanhshrink ThresholdedReLU "
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss "
        "TripletMarginWithDistanceLoss Unflatten Unfold Upsample UpsamplingBilinear2D UpsamplingNearest2D ZeroPad1D ZeroPad2D ZeroPad3D",
        "dynamic_decode"),
    "paddle.nn.attention": (
        "SDPBackend",
        "sdpa_kernel"),
    "paddle.nn.clip": (
        "BaseErrorClipAttr ClipGradBase ClipGradByGlobalNorm ClipGradByNorm ClipGradByValue DataType ErrorClipByValue GradientClipBase "
        "GradientClipByGlobalNorm GradientClipByNorm GradientClipByValue LayerHelper Variable",
        "append_gradient_clip_ops check_type check_variable_and_dtype clip_by_norm default_main_program error_clip_callback "
        "get_complete_pp_mesh get_tensor_from_selected_rows in_dynamic_mode in_dynamic_or_pir_mode in_pir_mode merge_selected_rows "
        "set_gradient_clip"),
    "paddle.nn.functional": (
        "",
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_log_softmax_with_loss adaptive_max_pool1d "
        "adaptive_max_pool2d adaptive_max_pool3d affine_grid alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear "
        "binary_cross_entropy binary_cross_entropy_with_logits celu channel_shuffle class_center_sample conv1d conv1d_transpose conv2d "
        "conv2d_transpose conv3d conv3d_transpose cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dice_loss dropout "
        "dropout1d dropout2d dropout3d elu elu_ embedding feature_alpha_dropout flash_attention_v3_varlen flash_attn_qkvpacked "
        "flash_attn_varlen_qkvpacked flashmask_attention fold fractional_max_pool2d fractional_max_pool3d gather_tree gaussian_nll_loss "
        "gelu glu grid_sample group_norm gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hardtanh_ hinge_embedding_loss "
        "hsigmoid_loss instance_norm interpolate kl_div l1_loss label_smooth layer_norm leaky_relu leaky_relu_ linear local_response_norm "
        "log_loss log_sigmoid log_softmax logsigmoid lp_pool1d lp_pool2d margin_cross_entropy margin_ranking_loss max_pool1d max_pool2d "
        "max_pool3d max_unpool1d max_unpool2d max_unpool3d maxout mish moe_permute moe_unpermute mse_loss multi_label_margin_loss "
        "multi_label_soft_margin_loss multi_margin_loss nll_loss normalize npair_loss one_hot pad pairwise_distance pixel_shuffle "
        "pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm rnnt_loss rrelu scaled_dot_product_attention selu sequence_mask "
        "sigmoid sigmoid_focal_loss silu smooth_l1_loss soft_margin_loss softmax softmax_ softmax_with_cross_entropy softplus softshrink "
        "softsign sparse_attention square_error_cost swiglu swish tanh tanh_ tanhshrink temporal_shift thresholded_relu thresholded_relu_ "
        "triplet_margin_loss triplet_margin_with_distance_loss unfold upsample zeropad2d"),
    "paddle.nn.initializer": (
        "Assign Bilinear Constant Dirac KaimingNormal KaimingUniform Normal Orthogonal TruncatedNormal Uniform XavierNormal XavierUniform",
        "calculate_gain set_global_initializer"),
    "paddle.nn.initializer.lazy_init": (
        "LazyGuard",
        ""),
    "paddle.nn.layer": (
        "AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1D AdaptiveMaxPool2D "
        "AdaptiveMaxPool3D AlphaDropout AvgPool1D AvgPool2D AvgPool3D BCELoss BCEWithLogitsLoss BatchNorm1D BatchNorm2D BatchNorm3D "
        "Bilinear CELU CTCLoss ChannelShuffle ConstantPad1D ConstantPad2D ConstantPad3D Conv1D Conv1DTranspose Conv2D Conv2DTranspose "
        "Conv3D Conv3DTranspose CosineSimilarity CrossEntropyLoss Dropout Dropout2D Dropout3D Embedding FeatureAlphaDropout Flatten Fold "
        "FractionalMaxPool2D FractionalMaxPool3D GaussianNLLLoss GroupNorm HingeEmbeddingLoss Identity KLDivLoss L1Loss LPPool1D LPPool2D "
        "Layer LayerDict LayerNorm LeakyReLU Linear LocalResponseNorm LogSoftmax MSELoss MarginRankingLoss MaxPool1D MaxPool2D MaxPool3D "
        "MaxUnPool1D MaxUnPool2D MaxUnPool3D MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PReLU Pad1D Pad2D "
        "Pad3D PairwiseDistance PixelShuffle PixelUnshuffle PoissonNLLLoss RNNTLoss RReLU ReLU ReLU6 ReflectionPad1D ReflectionPad2D "
        "ReflectionPad3D ReplicationPad1D ReplicationPad2D ReplicationPad3D Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2D "
        "SpectralNorm SyncBatchNorm TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Upsample UpsamplingBilinear2D "
        "UpsamplingNearest2D ZeroPad2D",
        ""),
    "paddle.nn.layer.conv": (
        "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose Layer Normal Tensor _ConvNd",
        "convert_to_list get_cudnn_version get_flags in_dygraph_mode is_compiled_with_cuda is_compiled_with_rocm param_one_alias"),
    "paddle.nn.layer.layers": (
        "Executor HookRemoveHelper Layer LayerHelperBase LayerObjectHelper LayerOpsRecorder ParamAttr Parameter Program Tensor ValueSet "
        "VarDesc dtype",
        "build_sharded_state_dict convert_np_dtype_to_dtype_ default_main_program deprecated global_scope in_declarative_mode "
        "in_dygraph_mode in_pir_mode in_profiler_mode in_sot_simulation_mode in_to_static_mode name_struct no_grad "
        "paddle_type_to_proto_type param_one_alias record_program_ops_pre_hook set_op_customized_attrs_post_hook"),
    "paddle.nn.layer.transformer": (
        "Dropout Layer LayerList LayerNorm Linear MultiHeadAttention ParamAttr Transformer TransformerDecoder TransformerDecoderLayer "
        "TransformerEncoder TransformerEncoderLayer",
        "_convert_attention_mask _convert_param_attr_to_list convert_dtype"),
    "paddle.nn.quant": (
        "Stub",
        "llm_int8_linear weight_dequantize weight_only_linear weight_quantize"),
    "paddle.nn.quant.quant_layers": (
        "FakeQuantAbsMax FakeQuantChannelWiseAbsMax FakeQuantMAOutputScaleLayer FakeQuantMovingAverageAbsMax MAOutputScaleLayer "
        "MovingAverageAbsMaxScale QuantStub QuantizedColumnParallelLinear QuantizedConv2D QuantizedConv2DTranspose QuantizedLinear "
        "QuantizedMatmul QuantizedRowParallelLinear",
        ""),
    "paddle.nn.utils": (
        "",
        "clip_grad_norm_ clip_grad_value_ parameters_to_vector remove_weight_norm spectral_norm vector_to_parameters weight_norm"),
    "paddle.onnx": (
        "",
        "export"),
    "paddle.optimizer": (
        "ASGD Adadelta Adagrad Adam AdamW Adamax LBFGS Lamb Momentum NAdam Optimizer RAdam RMSProp Rprop SGD",
        ""),
    "paddle.optimizer.lr": (
        "CosineAnnealingDecay CosineAnnealingWarmRestarts CyclicLR ExponentialDecay InverseTimeDecay LRScheduler LambdaDecay LinearLR "
        "LinearWarmup MultiStepDecay MultiplicativeDecay NaturalExpDecay NoamDecay OneCycleLR PiecewiseDecay PolynomialDecay "
        "ReduceOnPlateau StepDecay",
        ""),
    "paddle.profiler": (
        "Profiler ProfilerState ProfilerTarget RecordEvent SortedKeys SummaryView",
        "export_chrome_tracing export_protobuf load_profiler_result make_scheduler"),
    "paddle.quantization": (
        "BaseObserver BaseQuanter PTQ QAT QuantConfig",
        "quanter"),
    "paddle.random": (
        "",
        "initial_seed"),
    "paddle.regularizer": (
        "L1Decay L2Decay",
        ""),
    "paddle.signal": (
        "",
        "istft stft"),
    "paddle.sparse": (
        "",
        "abs add addmm asin asinh atan atanh cast coalesce deg2rad divide expm1 is_same_shape isnan log1p mask_as masked_matmul matmul "
        "multiply mv neg pca_lowrank pow rad2deg reshape sin sinh slice sparse_coo_tensor sparse_csr_tensor sqrt square subtract sum tan "
        "tanh transpose"),
    "paddle.sparse.creation": (
        "",
        "sparse_coo_tensor sparse_csr_tensor"),
    "paddle.sparse.nn": (
        "BatchNorm Conv2D Conv3D LeakyReLU MaxPool3D ReLU ReLU6 Softmax SubmConv2D SubmConv3D SyncBatchNorm",
        ""),
    "paddle.sparse.nn.functional": (
        "",
        "attention conv2d conv3d leaky_relu max_pool3d relu relu6 softmax subm_conv2d subm_conv2d_igemm subm_conv3d subm_conv3d_igemm"),
    "paddle.special": (
        "",
        "expm1 logsumexp softmax"),
    "paddle.static": (
        "BuildStrategy CompiledProgram Executor ExponentialMovingAverage InputSpec IpuCompiledProgram IpuStrategy Program Variable "
        "WeightNormParamAttr",
        "Print accuracy append_backward auc cpu_places create_global_var create_parameter ctr_metric_bundle cuda_places data "
        "default_main_program default_startup_program deserialize_persistables deserialize_program device_guard global_scope gradients "
        "ipu_shard_guard load load_from_file load_inference_model load_program_state name_scope normalize_program program_guard py_func "
        "save save_inference_model save_to_file scope_guard serialize_persistables serialize_program set_ipu_shard set_program_state "
        "xpu_places"),
    "paddle.static.nn": (
        "",
        "batch_norm bilinear_tensor_product case cond conv2d conv2d_transpose conv3d conv3d_transpose deform_conv2d embedding fc "
        "group_norm instance_norm layer_norm nce prelu py_func row_conv sequence_conv sequence_expand sequence_first_step "
        "sequence_last_step sequence_pool sequence_softmax sparse_embedding spectral_norm static_pylayer switch_case while_loop"),
    "paddle.sysconfig": (
        "",
        "get_include get_lib"),
    "paddle.text": (
        "Conll05st Imdb Imikolov Movielens UCIHousing ViterbiDecoder WMT14 WMT16",
        "viterbi_decode"),
    "paddle.utils": (
        "",
        "deprecated require_version run_check try_import"),
    "paddle.utils.cpp_extension": (
        "",
        "CUDAExtension CppExtension get_build_directory load setup"),
    "paddle.utils.dlpack": (
        "",
        "from_dlpack to_dlpack"),
    "paddle.utils.download": (
        "tqdm",
        "DOWNLOAD_RETRY_LIMIT WEIGHTS_HOME _get_unique_endpoints check_and_create_dir get_path_from_url get_weights_path_from_url is_url"),
    "paddle.utils.unique_name": (
        "",
        "generate guard switch"),
    "paddle.version": (
        "",
        "cuda cuda_archs cudnn hip nccl show tensorrt xpu xpu_xccl xpu_xhpc xpu_xre"),
    "paddle.vision": (
        "",
        "get_image_backend image_load set_image_backend"),
    "paddle.vision.datasets": (
        "Cifar10 Cifar100 DatasetFolder FashionMNIST Flowers ImageFolder MNIST VOC2012",
        ""),
    "paddle.vision.models": (
        "AlexNet DenseNet GoogLeNet InceptionV3 LeNet MobileNetV1 MobileNetV2 MobileNetV3Large MobileNetV3Small ResNet ShuffleNetV2 "
        "SqueezeNet VGG",
        "alexnet densenet121 densenet161 densenet169 densenet201 densenet264 googlenet inception_v3 mobilenet_v1 mobilenet_v2 "
        "mobilenet_v3_large mobilenet_v3_small resnet101 resnet152 resnet18 resnet34 resnet50 resnext101_32x4d resnext101_64x4d "
        "resnext152_32x4d resnext152_64x4d resnext50_32x4d resnext50_64x4d shufflenet_v2_swish shufflenet_v2_x0_25 shufflenet_v2_x0_33 "
        "shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0 squeezenet1_0 squeezenet1_1 vgg11 vgg13 vgg16 vgg19 "
        "wide_resnet101_2 wide_resnet50_2"),
    "paddle.vision.models.resnet": (
        "BasicBlock BottleneckBlock ResNet",
        "get_weights_path_from_url model_urls resnet101 resnet152 resnet18 resnet34 resnet50 resnext101_32x4d resnext101_64x4d "
        "resnext152_32x4d resnext152_64x4d resnext50_32x4d resnext50_64x4d wide_resnet101_2 wide_resnet50_2"),
    "paddle.vision.models.vgg": (
        "VGG",
        "cfgs get_weights_path_from_url make_layers model_urls vgg11 vgg13 vgg16 vgg19"),
    "paddle.vision.ops": (
        "DeformConv2D PSRoIPool RoIAlign RoIPool",
        "box_coder decode_jpeg deform_conv2d distribute_fpn_proposals generate_proposals matrix_nms nms prior_box psroi_pool read_file "
        "roi_align roi_pool yolo_box yolo_loss"),
    "paddle.vision.transforms": (
        "BaseTransform BrightnessTransform CenterCrop ColorJitter Compose ContrastTransform Grayscale HueTransform Normalize Pad "
        "RandomAffine RandomCrop RandomErasing RandomHorizontalFlip RandomPerspective RandomResizedCrop RandomRotation RandomVerticalFlip "
        "Resize SaturationTransform ToTensor Transpose",
        "adjust_brightness adjust_contrast adjust_hue affine center_crop crop erase hflip normalize pad perspective resize rotate "
        "to_grayscale to_tensor vflip"),
    "paddle.vision.transforms.functional": (
        "Value Variable",
        "adjust_brightness adjust_contrast adjust_hue adjust_saturation affine center_crop crop erase hflip normalize pad perspective "
        "resize rotate to_grayscale to_tensor unreached vflip"),
}
